// Springs, dampers and drivers: coils that stretch with their ends, cylinders with a piston, cylinders with a rod.

import * as THREE from "three";
import { across, type Bodies } from "./bodies";
import type { Motion } from "./motion";
import type { Pair, Scene } from "./scene";
import type { Space } from "./space";

const COIL = new THREE.Color("#8b96a3"), CYLINDER = new THREE.Color("#7d8894"), PISTON = new THREE.Color("#c3c9d1"), DRIVER = new THREE.Color("#76828f");
const LOOKS = 200; // times at which the lengths of drivers are looked at

interface Ends { name: string; a: number; b: number; z: number }
interface Tube { ends: Ends; cylinder: THREE.Mesh; rod: THREE.Mesh; from: number; length: number; relative: boolean }

export class Springs {
  readonly group = new THREE.Group();
  private readonly coils: Coil[] = [];
  private readonly tubes: Tube[] = [];
  private readonly basis = new Basis();

  constructor(scene: Scene, private readonly space: Space, private readonly motion: Motion, private readonly bodies: Bodies) {
    const fine = scene.springs.length <= 30;
    for (const spring of scene.springs) {
      const parallel = scene.dampers.some((d) => same(d, spring));
      const coil = new Coil(this.ends(spring), spring.rest * space.scale, bodies.w * (parallel ? 1.35 : 1), fine);
      coil.mesh.userData.label = `spring ${spring.name}: ${spring.stiffness.toPrecision(4)} N/m, rest length ${spring.rest.toPrecision(4)} m`;
      this.coils.push(coil);
      this.group.add(coil.mesh);
    }
    for (const damper of scene.dampers) this.addTube(damper, "damper", CYLINDER, 0.85, { from: 0.12, length: 0.45, relative: true });
    for (const driver of scene.drivers)
      this.addTube(driver, "driven length", DRIVER, 1.15, { from: 0, length: 0.62 * this.shortest(driver), relative: false });
  }

  private ends(pair: Pair): Ends {
    const [a, b] = pair.points.map((p) => 3 * this.space.index.get(p)!);
    return { name: pair.name, a, b, z: this.space.dimension === 2 ? this.bodies.depth(...pair.points) : 0 };
  }

  /** The least distance of two points in the whole motion, in picture units. */
  private shortest(pair: Pair): number {
    const { begin, duration } = this.motion, times = Float64Array.from({ length: LOOKS }, (_, i) => begin + (duration * i) / (LOOKS - 1));
    const [a, b] = pair.points.map((p) => this.space.path(this.motion, p, times));
    let least = Infinity;
    for (let i = 0; i < a.length; i += 3) least = Math.min(least, Math.hypot(b[i] - a[i], b[i + 1] - a[i + 1], b[i + 2] - a[i + 2]));
    return least;
  }

  /** A cylinder around a rod that runs from end to end; its place on the rod is relative to the rod's length or not. */
  private addTube(pair: Pair, what: string, colour: THREE.Color, radius: number, place: { from: number; length: number; relative: boolean }): void {
    const w = this.bodies.w, material = (c: THREE.Color) => new THREE.MeshStandardMaterial({ color: c, roughness: 0.45, metalness: 0.3 });
    const round = (r: number, sides: number) => new THREE.CylinderGeometry(r * w, r * w, 1, sides).rotateZ(-Math.PI / 2).translate(0.5, 0, 0);
    const cylinder = new THREE.Mesh(round(radius, 24), material(colour)), rod = new THREE.Mesh(round(0.41 * radius, 14), material(PISTON));
    for (const mesh of [cylinder, rod]) {
      mesh.castShadow = true;
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.userData.label = `${what} ${pair.name}`;
      this.group.add(mesh);
    }
    this.tubes.push({ ends: this.ends(pair), cylinder, rod, ...place });
  }

  update(): void {
    const P = this.space.places;
    for (const coil of this.coils) coil.update(P, this.basis);
    for (const { ends, cylinder, rod, from, length, relative } of this.tubes) {
      const whole = this.basis.set(P, ends), unit = relative ? whole : 1;
      this.basis.write(cylinder.matrix, from * unit, length * unit);
      this.basis.write(rod.matrix, 0, whole);
      cylinder.matrixWorldNeedsUpdate = rod.matrixWorldNeedsUpdate = true;
    }
  }
}

function same(one: Pair, other: Pair): boolean { return [...one.points].sort().join() === [...other.points].sort().join(); }

/** A frame along the line between two ends. */
class Basis {
  readonly x = new THREE.Vector3();
  readonly y = new THREE.Vector3();
  readonly z = new THREE.Vector3();
  readonly origin = new THREE.Vector3();

  set(P: Float64Array, { a, b, z }: Ends): number {
    this.origin.set(P[a], P[a + 1], P[a + 2] + z);
    this.x.set(P[b] - P[a], P[b + 1] - P[a + 1], P[b + 2] - P[a + 2]);
    const length = this.x.length();
    if (length > 0) this.x.divideScalar(length); else this.x.set(1, 0, 0);
    across(this.x, this.y).addScaledVector(this.x, -this.x.dot(this.y)).normalize();
    this.z.crossVectors(this.x, this.y);
    return length;
  }

  write(matrix: THREE.Matrix4, from: number, length: number): void {
    const { x, y, z, origin: o } = this;
    matrix.makeBasis(x, y, z).scale(new THREE.Vector3(Math.max(length, 1e-9), 1, 1));
    matrix.setPosition(o.x + from * x.x, o.y + from * x.y, o.z + from * x.z);
  }
}

/** A wire wound around the line between two points, its ends straight. */
class Coil {
  readonly mesh: THREE.Mesh;
  private readonly turns: number;
  private readonly along: number;
  private readonly round: number;
  private readonly radius: number;
  private readonly wire: number;
  private readonly lead: number;

  constructor(private readonly ends: Ends, rest: number, w: number, fine: boolean) {
    this.radius = 1.25 * w;
    this.wire = 0.22 * w;
    this.lead = 2.6 * w;
    this.turns = Math.round(Math.min(22, Math.max(5, rest / (1.5 * w))));
    this.along = this.turns * (fine ? 18 : 8) + 1;
    this.round = fine ? 7 : 4;
    const geometry = new THREE.BufferGeometry(), vertices = this.along * this.round;
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage));
    const index: number[] = [];
    for (let i = 0; i + 1 < this.along; i++)
      for (let j = 0; j < this.round; j++) {
        const a = i * this.round + j, b = i * this.round + ((j + 1) % this.round);
        index.push(a, a + this.round, b, b, a + this.round, b + this.round);
      }
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: COIL, roughness: 0.45, metalness: 0.1 }));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  update(P: Float64Array, basis: Basis): void {
    const length = basis.set(P, this.ends), { x, y, z, origin } = basis;
    const lead = Math.min(this.lead, 0.2 * length), body = length - 2 * lead, straight = 0.04;
    const position = this.mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
    const normal = this.mesh.geometry.getAttribute("normal") as THREE.BufferAttribute;
    const place = position.array as Float32Array, normals = normal.array as Float32Array;
    const slope = Math.atan2(body / this.turns, 2 * Math.PI * this.radius), cos = Math.cos(slope), sin = Math.sin(slope);
    for (let i = 0, at = 0; i < this.along; i++) {
      const s = i / (this.along - 1), inner = Math.min(Math.max((s - straight) / (1 - 2 * straight), 0), 1);
      const angle = 2 * Math.PI * this.turns * inner, ease = Math.min(1, Math.min(s, 1 - s) / straight);
      const r = this.radius * ease, c = Math.cos(angle), d = Math.sin(angle);
      const down = s < straight ? lead * (s / straight) : s > 1 - straight ? length - lead * ((1 - s) / straight) : lead + body * inner;
      for (let j = 0; j < this.round; j++, at += 3) {
        // across the wire: outward, and upright to outward and to the wire
        const phi = (2 * Math.PI * j) / this.round, out = Math.cos(phi), up = Math.sin(phi);
        const nx = up * cos, ny = out * c + up * sin * d, nz = out * d - up * sin * c;
        for (let k = 0; k < 3; k++) {
          const n = nx * x.getComponent(k) + ny * y.getComponent(k) + nz * z.getComponent(k);
          normals[at + k] = n;
          place[at + k] = origin.getComponent(k) + down * x.getComponent(k) + r * (c * y.getComponent(k) + d * z.getComponent(k)) + this.wire * n;
        }
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
  }
}
