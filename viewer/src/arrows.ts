// Arrows: velocities of points, applied forces, spring forces and reactions, scaled to the picture.

import * as THREE from "three";
import { interpolate, type Motion } from "./motion";
import { doubles, floats, type Scene } from "./scene";
import type { Space } from "./space";

export type ArrowKind = "velocity" | "force" | "reaction";
export const ARROW_COLOURS: Record<ArrowKind, string> = { velocity: "#1f9d55", force: "#d4483b", reaction: "#8b4fc4" };
const LONGEST = 0.22; // of the picture: the length of the largest arrow

interface Arrow { point: number; vector: (into: THREE.Vector3) => void }

export class Arrows {
  readonly group = new THREE.Group();
  readonly kinds: ArrowKind[] = [];
  factor = 1;
  private readonly sets = new Map<ArrowKind, { arrows: Arrow[]; scale: number; shaft: THREE.InstancedMesh; head: THREE.InstancedMesh }>();

  constructor(private readonly scene: Scene, private readonly space: Space, private readonly motion: Motion, private readonly w: number, private readonly lift: (point: string) => number) {
    this.make("velocity", this.velocities());
    this.make("force", [...this.stored("force"), ...this.springs()]);
    this.make("reaction", this.stored("reaction"));
  }

  has(kind: ArrowKind): boolean { return this.sets.has(kind); }

  show(kind: ArrowKind, on: boolean): void {
    const set = this.sets.get(kind);
    if (set) set.shaft.visible = set.head.visible = on;
  }

  update(): void {
    const P = this.space.places, v = new THREE.Vector3(), along = new THREE.Vector3(0, 1, 0), turn = new THREE.Quaternion(), m = new THREE.Matrix4();
    for (const { arrows, scale, shaft, head } of this.sets.values()) {
      if (!shaft.visible) continue;
      arrows.forEach(({ point, vector }, i) => {
        vector(v);
        const length = v.length() * scale * this.factor, at = 3 * point;
        const origin = new THREE.Vector3(P[at], P[at + 1], P[at + 2] + this.lift(this.space.names[point]));
        turn.setFromUnitVectors(along, length > 0 ? v.normalize() : along);
        const tip = Math.min(2.6 * this.w, 0.5 * length), thin = length > 1e-4 ? Math.min(1, tip / (1.6 * this.w)) : 0;
        m.compose(origin, turn, new THREE.Vector3(thin || 1e-9, Math.max(length - tip, 1e-9), thin || 1e-9));
        shaft.setMatrixAt(i, m);
        m.compose(origin.addScaledVector(v, Math.max(length - tip, 0)), turn, new THREE.Vector3(thin || 1e-9, Math.max(tip, 1e-9), thin || 1e-9));
        head.setMatrixAt(i, m);
      });
      shaft.instanceMatrix.needsUpdate = head.instanceMatrix.needsUpdate = true;
    }
  }

  private make(kind: ArrowKind, arrows: { arrow: Arrow; largest: number }[]): void {
    const largest = Math.max(0, ...arrows.map((a) => a.largest));
    if (!arrows.length || !(largest > 0)) return;
    const material = new THREE.MeshStandardMaterial({ color: ARROW_COLOURS[kind], roughness: 0.6 });
    const shaft = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.26 * this.w, 0.26 * this.w, 1, 12).translate(0, 0.5, 0), material, arrows.length);
    const head = new THREE.InstancedMesh(new THREE.ConeGeometry(0.85 * this.w, 1, 18).translate(0, 0.5, 0), material, arrows.length);
    for (const mesh of [shaft, head]) {
      mesh.frustumCulled = false;
      mesh.visible = false;
      this.group.add(mesh);
    }
    this.kinds.push(kind);
    this.sets.set(kind, { arrows: arrows.map((a) => a.arrow), scale: LONGEST / largest, shaft, head });
  }

  private velocities(): { arrow: Arrow; largest: number }[] {
    const { motion, space } = this, moving = space.names.filter((name) => space.isMoving(name)).slice(0, 400);
    const times = Float64Array.from({ length: 300 }, (_, i) => motion.begin + (motion.duration * i) / 299), column = new Float64Array(300);
    return moving.map((name) => {
      const c = space.coordinates(name);
      let largest = 0;
      for (const i of c) {
        motion.sample(i, 1, times, column);
        for (const x of column) largest = Math.max(largest, Math.abs(x));
      }
      return { largest, arrow: { point: space.index.get(name)!, vector: (v) => v.set(motion.u[c[0]], motion.u[c[1]], c.length > 2 ? motion.u[c[2]] : 0) } };
    });
  }

  private stored(kind: ArrowKind): { arrow: Arrow; largest: number }[] {
    const d = this.scene.dimension;
    return this.scene.arrows.filter((a) => a.kind === kind).map((a) => {
      const times = doubles(this.scene.times[a.times]), values = floats(a.values);
      let largest = 0;
      for (let i = 0; i < times.length; i++) {
        let square = 0;
        for (let k = 0; k < d; k++) square += values[i * d + k] ** 2;
        largest = Math.max(largest, square);
      }
      const component = (k: number) => (k < d ? interpolate(times, values, this.motion.time, d, k) : 0);
      return { largest: Math.sqrt(largest), arrow: { point: this.space.index.get(a.point)!, vector: (v) => v.set(component(0), component(1), component(2)) } };
    });
  }

  /** The pull of a spring at both of its ends. */
  private springs(): { arrow: Arrow; largest: number }[] {
    const P = this.space.places, s = this.space.scale;
    return this.scene.springs.flatMap((spring) => {
      const [a, b] = spring.points.map((p) => this.space.index.get(p)!);
      const longest = spring.stiffness * Math.max(spring.rest, this.scene.size * 0.5);
      return [[a, b], [b, a]].map(([from, to]) => ({
        largest: longest,
        arrow: {
          point: from,
          vector: (v: THREE.Vector3) => {
            v.set(P[3 * to] - P[3 * from], P[3 * to + 1] - P[3 * from + 1], P[3 * to + 2] - P[3 * from + 2]);
            const length = v.length() / s;
            v.setLength(1).multiplyScalar(spring.stiffness * (length - spring.rest));
          },
        },
      }));
    });
  }
}
