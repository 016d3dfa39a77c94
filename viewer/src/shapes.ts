// Geometry of everything drawn: flat bevelled prisms around points, pins, blocks, supports, rails. Picture units.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

export type Flat = [number, number];

/** Corners of the convex hull, counter-clockwise, without points on its sides. */
export function hull(points: Flat[]): Flat[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o: Flat, a: Flat, b: Flat) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list: Flat[]) => {
    const chain: Flat[] = [];
    for (const p of list) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 1e-12) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const found = [...half(sorted), ...half(sorted.reverse())];
  return found.length ? found : [points[0]];
}

/** The outline at a distance around the hull of points: sides and round corners. */
export function around(points: Flat[], radius: number): THREE.Shape {
  const corners = hull(points), shape = new THREE.Shape();
  if (corners.length === 1) return shape.absarc(corners[0][0], corners[0][1], radius, 0, 2 * Math.PI, false) as THREE.Shape;
  const count = corners.length;
  const outward = corners.map((a, i) => {
    const b = corners[(i + 1) % count];
    return Math.atan2(b[1] - a[1], b[0] - a[0]) - Math.PI / 2;
  });
  corners.forEach((p, i) => {
    const from = outward[(i + count - 1) % count];
    let to = outward[i];
    while (to < from) to += 2 * Math.PI;
    shape.absarc(p[0], p[1], radius, from, to, false);
  });
  shape.closePath();
  return shape;
}

/** A flat prism with bevelled edges, centred on z = 0. */
export function prism(shape: THREE.Shape, thickness: number, bevel = 0.22): THREE.BufferGeometry {
  const b = bevel * thickness;
  const geometry = new THREE.ExtrudeGeometry(shape, {
    depth: thickness - 2 * b, bevelEnabled: true, bevelThickness: b, bevelSize: b, bevelOffset: -b, bevelSegments: 2, curveSegments: 14,
  });
  geometry.translate(0, 0, -(thickness - 2 * b) / 2);
  return geometry;
}

/** A prism for each arm of a skeleton, together. */
export function arms(pairs: Flat[][], radius: number, thickness: number): THREE.BufferGeometry {
  return mergeGeometries(pairs.map((pair) => prism(around(pair, radius), thickness)));
}

/** A body in space: the hull of balls around its points. */
export function solid(points: number[][], radius: number): THREE.BufferGeometry {
  const ball = new THREE.IcosahedronGeometry(radius, 2).getAttribute("position");
  const cloud: THREE.Vector3[] = [];
  for (const p of points)
    for (let i = 0; i < ball.count; i++)
      cloud.push(new THREE.Vector3(p[0] + ball.getX(i), p[1] + ball.getY(i), (p[2] ?? 0) + ball.getZ(i)));
  return new ConvexGeometry(cloud);
}

/** A round rod along x from 0 to its length. */
export function rod(length: number, radius: number): THREE.BufferGeometry {
  const geometry = new THREE.CapsuleGeometry(radius, Math.max(length, 1e-6), 6, 18);
  geometry.rotateZ(-Math.PI / 2).translate(length / 2, 0, 0);
  return geometry;
}

/** Arms of a skeleton in space. */
export function rods(pairs: number[][][], radius: number): THREE.BufferGeometry {
  return mergeGeometries(pairs.map(([a, b]) => {
    const from = new THREE.Vector3(a[0], a[1], a[2] ?? 0), to = new THREE.Vector3(b[0], b[1], b[2] ?? 0);
    const along = to.clone().sub(from), length = along.length();
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(1, 0, 0), along.normalize());
    return rod(length, radius).applyQuaternion(turn).translate(from.x, from.y, from.z);
  }));
}

/** A thin rod with a ball at its end, from the line through two points to a third point. */
export function peg(end: number[], a: number[], b: number[], w: number): THREE.BufferGeometry {
  const d = [0, 1, 2].map((i) => (b[i] ?? 0) - (a[i] ?? 0)), e = [0, 1, 2].map((i) => (end[i] ?? 0) - (a[i] ?? 0));
  const s = Math.min(1, Math.max(0, (d[0] * e[0] + d[1] * e[1] + d[2] * e[2]) / (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 || 1)));
  const foot = [0, 1, 2].map((i) => (a[i] ?? 0) + s * d[i]);
  const ball = new THREE.SphereGeometry(0.6 * w, 16, 12).translate(end[0], end[1] ?? 0, end[2] ?? 0);
  return together([rods([[foot, end]], 0.3 * w), ball]);
}

/** A wheel about an axle: a rim with three spokes that cross; all tread is a ball. */
export function wheel(centre: number[], axle: number[], radius: number, tread: number, w: number): THREE.BufferGeometry {
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...axle).normalize());
  const tube = tread > 0 ? tread : Math.min(0.4 * w, 0.05 * radius), ring = radius - tube;
  if (ring <= 0) return new THREE.SphereGeometry(radius, 36, 24).translate(centre[0], centre[1], centre[2] ?? 0);
  const spokes = [0, 1, 2].map((i) => {
    const [c, s] = [ring * Math.cos((i * Math.PI) / 3), ring * Math.sin((i * Math.PI) / 3)];
    return [[-c, -s, 0], [c, s, 0]];
  });
  const rim = new THREE.TorusGeometry(ring, tube, 16, 72);
  return together([rim, rods(spokes, 0.4 * tube)]).applyQuaternion(turn).translate(centre[0], centre[1], centre[2] ?? 0);
}

/** Geometries as one, whatever attributes each brings along. */
export function together(pieces: THREE.BufferGeometry[]): THREE.BufferGeometry {
  if (pieces.length === 1) return pieces[0];
  const plain = pieces.map((piece) => {
    const flat = piece.index ? piece.toNonIndexed() : piece;
    for (const name of Object.keys(flat.attributes)) if (name !== "position" && name !== "normal") flat.deleteAttribute(name);
    return flat;
  });
  return mergeGeometries(plain);
}

/** A pin along z, with rounded ends. */
export function pin(radius: number, length: number): THREE.BufferGeometry {
  const b = Math.min(radius, length) * 0.25, h = length / 2;
  const profile = [[0, -h], [radius - b, -h], [radius, -h + b], [radius, h - b], [radius - b, h], [0, h]];
  const geometry = new THREE.LatheGeometry(profile.map(([x, y]) => new THREE.Vector2(Math.max(x, 0), y)), 28);
  return flatten(geometry.rotateX(Math.PI / 2));
}

/** Normals by face where edges are sharp. */
function flatten(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  flat.computeVertexNormals();
  return flat;
}

export function roundedBox(x: number, y: number, z: number, radius: number): THREE.BufferGeometry {
  const [a, b] = [x / 2 - radius, y / 2 - radius];
  return prism(around([[-a, -b], [a, -b], [a, b], [-a, b]], radius), z, 0.15);
}

/** A support under a pin at the origin: a bracket on a hatched base. w: half width of an arm. */
export function support(w: number, thickness: number): THREE.BufferGeometry {
  const foot = 3.4 * w;
  const bracket = new THREE.Shape();
  bracket.absarc(0, 0, 1.35 * w, 0.3, Math.PI - 0.3, false);
  bracket.lineTo(-1.9 * w, -foot);
  bracket.lineTo(1.9 * w, -foot);
  bracket.closePath();
  return mergeGeometries([prism(bracket, thickness), hatching(6.4 * w, w, thickness).translate(0, -foot, 0)].map(flatten));
}

/** A base along x with strokes below it, its upper side on y = 0. */
export function hatching(length: number, w: number, thickness: number): THREE.BufferGeometry {
  const bar = new THREE.BoxGeometry(length, 0.45 * w, thickness).translate(0, -0.225 * w, 0);
  const pieces: THREE.BufferGeometry[] = [bar.toNonIndexed()];
  const count = Math.max(3, Math.min(400, Math.round(length / (1.05 * w))));
  for (let i = 0; i < count; i++) {
    const x = -length / 2 + ((i + 0.75) * length) / count;
    const stroke = new THREE.BoxGeometry(0.16 * w, 1.15 * w, 0.5 * thickness).rotateZ(-0.75).translate(x - 0.3 * w, -0.85 * w, 0);
    pieces.push(stroke.toNonIndexed());
  }
  return mergeGeometries(pieces);
}

/** A support in space: a cone on a disc below a point, z up. */
export function standing(w: number): THREE.BufferGeometry {
  const cone = new THREE.CylinderGeometry(0.9 * w, 2 * w, 2.6 * w, 28).rotateX(Math.PI / 2).translate(0, 0, -1.9 * w);
  const disc = new THREE.CylinderGeometry(2.7 * w, 2.7 * w, 0.4 * w, 28).rotateX(Math.PI / 2).translate(0, 0, -3.4 * w);
  return mergeGeometries([cone.toNonIndexed(), disc.toNonIndexed()]);
}

/** The joints of space, their axis along z. */
export const JOINTS: Record<string, (w: number) => THREE.BufferGeometry> = {
  spherical: (w) => new THREE.SphereGeometry(1.7 * w, 28, 20),
  revolute: (w) => pin(1.45 * w, 5 * w),
  universal: (w) => mergeGeometries([pin(0.75 * w, 5.4 * w), pin(0.75 * w, 5.4 * w).rotateX(Math.PI / 2)]),
  cylindrical: (w) => pin(1.6 * w, 8 * w),
  prismatic: (w) => new THREE.BoxGeometry(3 * w, 3 * w, 6.5 * w),
  planar: (w) => pin(3.2 * w, 0.7 * w),
  fixed: (w) => new THREE.BoxGeometry(3 * w, 3 * w, 3 * w),
  in_line: (w) => pin(1.2 * w, 8 * w),
  in_plane: (w) => pin(3.2 * w, 0.7 * w),
  screw: (w) => mergeGeometries([pin(1.0 * w, 8 * w), ...[-2, -1, 0, 1, 2].map((k) => pin(1.6 * w, 0.7 * w).translate(0, 0, 1.5 * k * w))]),
  constant_velocity: (w) => mergeGeometries([new THREE.SphereGeometry(1.7 * w, 28, 20).toNonIndexed(), pin(2.1 * w, 0.8 * w)].map(flatten)),
};
