// Arcs: torques as curved arrows about a point. The largest of a set sweeps three quarters of a turn, others less.

import * as THREE from "three";
import { across } from "./bodies";

const LARGEST = 1.5 * Math.PI, WIDEST = 1.7 * Math.PI; // sweep of the largest; beyond this the radius grows instead
const ALONG = 40, ROUND = 10; // sections of the wire and corners of a section
const HEAD = 2.8; // length of the head, in half widths of an arm

/** A torque: its vector now, where it acts, and which way the part lies from there. */
export interface Torque { name: string; vector: (into: THREE.Vector3) => void; place: (into: THREE.Vector3) => void; toward: (into: THREE.Vector3) => void }

export class Arc {
  readonly group = new THREE.Group();
  private readonly wire: THREE.Mesh;
  private readonly head: THREE.Mesh;
  private readonly n = new THREE.Vector3();
  private readonly x = new THREE.Vector3();
  private readonly y = new THREE.Vector3();
  private readonly origin = new THREE.Vector3();

  constructor(readonly torque: Torque, private readonly largest: number, private readonly radius: number, private readonly w: number, material: THREE.Material) {
    const geometry = new THREE.BufferGeometry(), count = 3 * ALONG * ROUND;
    for (const name of ["position", "normal"]) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(count), 3).setUsage(THREE.DynamicDrawUsage));
    const index: number[] = [];
    for (let i = 0; i + 1 < ALONG; i++)
      for (let j = 0; j < ROUND; j++) {
        const a = i * ROUND + j, b = i * ROUND + ((j + 1) % ROUND);
        index.push(a, a + ROUND, b, b, a + ROUND, b + ROUND);
      }
    geometry.setIndex(index);
    this.wire = new THREE.Mesh(geometry, material);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(0.95 * w, 1, 18).translate(0, 0.5, 0), material);
    this.wire.frustumCulled = this.head.frustumCulled = false;
    this.head.matrixAutoUpdate = false;
    this.group.add(this.wire, this.head);
  }

  update(factor: number): void {
    const { n, x, y, origin, torque } = this;
    torque.vector(n);
    const wanted = (LARGEST * factor * n.length()) / this.largest, sweep = Math.min(wanted, WIDEST);
    this.group.visible = sweep > 0.02;
    if (!this.group.visible) return;
    n.normalize();
    torque.place(origin);
    torque.toward(x);
    // the middle of the arc lies across the part
    x.addScaledVector(n, -n.dot(x));
    if (x.length() < 1e-3) across(n, x).addScaledVector(n, -n.dot(x));
    x.normalize();
    y.crossVectors(n, x);
    this.bend(this.radius * (wanted / sweep), sweep);
  }

  private bend(radius: number, sweep: number): void {
    const tip = Math.min((HEAD * this.w) / radius, 0.5 * sweep), thin = Math.min(1, (tip * radius) / (1.6 * this.w));
    const wire = 0.28 * this.w * thin, { n, x, y, origin } = this;
    const position = this.wire.geometry.getAttribute("position") as THREE.BufferAttribute;
    const normal = this.wire.geometry.getAttribute("normal") as THREE.BufferAttribute;
    const places = position.array as Float32Array, normals = normal.array as Float32Array;
    for (let i = 0, at = 0; i < ALONG; i++) {
      const phi = -sweep / 2 + ((sweep - 0.9 * tip) * i) / (ALONG - 1), c = Math.cos(phi), s = Math.sin(phi);
      for (let j = 0; j < ROUND; j++, at += 3) {
        const psi = (2 * Math.PI * j) / ROUND, out = Math.cos(psi), up = Math.sin(psi);
        for (let k = 0; k < 3; k++) {
          const outward = c * x.getComponent(k) + s * y.getComponent(k), across = out * outward + up * n.getComponent(k);
          normals[at + k] = across;
          places[at + k] = origin.getComponent(k) + radius * outward + wire * across;
        }
      }
    }
    position.needsUpdate = normal.needsUpdate = true;
    this.point(radius, sweep / 2 - tip, sweep / 2, thin);
  }

  /** The head, from one angle of the circle to another. */
  private point(radius: number, from: number, to: number, thin: number): void {
    const on = (phi: number) => this.origin.clone().addScaledVector(this.x, radius * Math.cos(phi)).addScaledVector(this.y, radius * Math.sin(phi));
    const base = on(from), along = on(to).sub(base), length = along.length();
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
    this.head.matrix.compose(base, turn, new THREE.Vector3(thin, length, thin));
    this.head.matrixWorldNeedsUpdate = true;
  }
}
