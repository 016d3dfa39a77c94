// Arrows: velocities of points, applied forces and torques, spring forces and reactions, scaled to the picture.

import * as THREE from "three";
import { Arc } from "./arcs";
import { interpolate, type Motion } from "./motion";
import { doubles, floats, type PackedArrow, type Scene, widthOf } from "./scene";
import type { Space } from "./space";

export type ArrowKind = "velocity" | "force" | "torque" | "reaction";
export const ARROW_COLOURS: Record<ArrowKind, string> = { velocity: "#1f9d55", force: "#d4483b", torque: "#0a96b4", reaction: "#8b4fc4" };
const LONGEST = 0.22; // of the picture: the length of the largest arrow, or of what is usual where few are much larger
const BEYOND = 2; // of the picture: no arrow is longer, its end being out of sight
const SPIKY = 3; // times the root mean square: what is larger is rare
const ROUND = 0.05; // of the picture: the radius of curved arrows, or
const CLEAR = 4.6; // so many half widths of an arm, if that is more
const NESTED = 0.3; // how much wider each further one about the same point is

interface Arrow { name: string; point: number; vector: (into: THREE.Vector3) => void }
interface Sized { arrow: Arrow; largest: number; usual: number }
interface Straight { arrows: Arrow[]; scale: number; shaft: THREE.InstancedMesh; head: THREE.InstancedMesh }
interface Shown { visible: boolean; straight: Straight | null; arcs: Arc[] }

export class Arrows {
  readonly group = new THREE.Group();
  readonly kinds: ArrowKind[] = [];
  factor = 1;
  private readonly sets = new Map<ArrowKind, Shown>();

  constructor(private readonly scene: Scene, private readonly space: Space, private readonly motion: Motion, private readonly w: number, private readonly lift: (point: string) => number) {
    this.make("velocity", this.velocities(), []);
    this.make("force", [...this.stored("force"), ...this.springs()], []);
    this.make("torque", [], this.scene.arrows.filter((a) => a.kind === "torque"));
    this.make("reaction", this.stored("reaction"), this.scene.arrows.filter((a) => a.kind === "reaction torque"));
  }

  has(kind: ArrowKind): boolean { return this.sets.has(kind); }

  show(kind: ArrowKind, on: boolean): void {
    const set = this.sets.get(kind);
    if (!set) return;
    set.visible = on;
    if (set.straight) set.straight.shaft.visible = set.straight.head.visible = on;
    for (const arc of set.arcs) arc.group.visible = on;
  }

  /** What is shown, by kind: the names of straight arrows and of curved ones. */
  shown(): Record<string, { straight: string[]; curved: string[] }> {
    const visible = [...this.sets].filter(([, set]) => set.visible);
    return Object.fromEntries(visible.map(([kind, { straight, arcs }]) => [kind, {
      straight: straight?.arrows.map((a) => a.name) ?? [], curved: arcs.filter((a) => a.group.visible).map((a) => a.torque.name),
    }]));
  }

  update(): void {
    for (const { visible, straight, arcs } of this.sets.values()) {
      if (!visible) continue;
      if (straight) this.place(straight);
      for (const arc of arcs) arc.update(this.factor);
    }
  }

  private place({ arrows, scale, shaft, head }: Straight): void {
    const v = new THREE.Vector3(), along = new THREE.Vector3(0, 1, 0), turn = new THREE.Quaternion(), m = new THREE.Matrix4(), origin = new THREE.Vector3();
    arrows.forEach(({ point, vector }, i) => {
      vector(v);
      const length = Math.min(v.length() * scale * this.factor, BEYOND);
      this.before(point, origin);
      turn.setFromUnitVectors(along, length > 0 ? v.normalize() : along);
      const tip = Math.min(2.6 * this.w, 0.5 * length), thin = length > 1e-4 ? Math.min(1, tip / (1.6 * this.w)) : 0;
      m.compose(origin, turn, new THREE.Vector3(thin || 1e-9, Math.max(length - tip, 1e-9), thin || 1e-9));
      shaft.setMatrixAt(i, m);
      m.compose(origin.addScaledVector(v, Math.max(length - tip, 0)), turn, new THREE.Vector3(thin || 1e-9, Math.max(tip, 1e-9), thin || 1e-9));
      head.setMatrixAt(i, m);
    });
    shaft.instanceMatrix.needsUpdate = head.instanceMatrix.needsUpdate = true;
  }

  /** The place of a point, before everything that is drawn there. */
  private before(point: number, into: THREE.Vector3): THREE.Vector3 {
    const P = this.space.places, at = 3 * point;
    return into.set(P[at], P[at + 1], P[at + 2] + this.lift(this.space.names[point]));
  }

  private make(kind: ArrowKind, arrows: Sized[], torques: PackedArrow[]): void {
    const material = new THREE.MeshStandardMaterial({ color: ARROW_COLOURS[kind], roughness: 0.6 });
    const straight = this.makeStraight(arrows, material), arcs = this.makeArcs(torques, material);
    if (!straight && !arcs.length) return;
    this.kinds.push(kind);
    this.sets.set(kind, { visible: false, straight, arcs });
  }

  private makeStraight(arrows: Sized[], material: THREE.Material): Straight | null {
    const usual = Math.max(0, ...arrows.map((a) => a.usual));
    if (!arrows.length || !(usual > 0)) return null;
    const shaft = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.26 * this.w, 0.26 * this.w, 1, 12).translate(0, 0.5, 0), material, arrows.length);
    const head = new THREE.InstancedMesh(new THREE.ConeGeometry(0.85 * this.w, 1, 18).translate(0, 0.5, 0), material, arrows.length);
    for (const mesh of [shaft, head]) {
      mesh.frustumCulled = false;
      mesh.visible = false;
      this.group.add(mesh);
    }
    return { arrows: arrows.map((a) => a.arrow), scale: LONGEST / usual, shaft, head };
  }

  private makeArcs(torques: PackedArrow[], material: THREE.Material): Arc[] {
    const read = torques.map((torque) => this.read(torque)), largest = Math.max(0, ...read.map((a) => a.largest));
    if (!(largest > 0)) return [];
    const radius = Math.max(ROUND, CLEAR * this.w), beside = new Map<string, number>();
    return torques.map((torque, i) => {
      const { point, vector } = read[i].arrow, nested = beside.get(torque.point) ?? 0;
      beside.set(torque.point, nested + 1);
      const place = (into: THREE.Vector3) => { this.before(point, into); }, toward = this.toward(torque.part, point);
      const arc = new Arc({ name: torque.name, vector, place, toward }, largest, radius * (1 + NESTED * nested), this.w, material);
      arc.group.visible = false;
      this.group.add(arc.group);
      return arc;
    });
  }

  /** From a point to the middle of a part. */
  private toward(part: string, point: number): (into: THREE.Vector3) => void {
    const P = this.space.places, points = this.scene.rigids.find((r) => r.name === part)?.points.map((p) => 3 * this.space.index.get(p)!) ?? [];
    return (into) => {
      into.set(0, 0, 0);
      for (const at of points) for (let k = 0; k < 3; k++) into.setComponent(k, into.getComponent(k) + P[at + k] - P[3 * point + k]);
    };
  }

  private velocities(): Sized[] {
    const { motion, space } = this, moving = space.shown.filter((name) => space.isMoving(name)).slice(0, 400);
    const times = Float64Array.from({ length: 300 }, (_, i) => motion.begin + (motion.duration * i) / 299), column = new Float64Array(300);
    return moving.map((name) => {
      const c = space.coordinates(name);
      let largest = 0;
      for (const i of c) {
        motion.sample(i, 1, times, column);
        for (const x of column) largest = Math.max(largest, Math.abs(x));
      }
      return { largest, usual: largest, arrow: { name, point: space.index.get(name)!, vector: (v) => v.set(motion.u[c[0]], motion.u[c[1]], c.length > 2 ? motion.u[c[2]] : 0) } };
    });
  }

  private stored(kind: PackedArrow["kind"]): Sized[] {
    return this.scene.arrows.filter((a) => a.kind === kind).map((a) => this.read(a));
  }

  private read(arrow: PackedArrow): Sized {
    const times = doubles(this.scene.times[arrow.times]), values = floats(arrow.values), d = widthOf(arrow, this.scene);
    let largest = 0, integral = 0, before = 0;
    for (let i = 0; i < times.length; i++) {
      let square = 0;
      for (let k = 0; k < d; k++) square += values[i * d + k] ** 2;
      largest = Math.max(largest, square);
      if (i > 0) integral += (0.5 * (square + before)) * (times[i] - times[i - 1]);
      before = square;
    }
    const duration = times[times.length - 1] - times[0];
    const usual = Math.min(Math.sqrt(largest), duration > 0 ? SPIKY * Math.sqrt(integral / duration) : Infinity);
    const component = (k: number) => (k >= 0 && k < d ? interpolate(times, values, this.motion.time, d, k) : 0);
    // a torque of the plane is about z
    const first = d === 1 ? -2 : 0;
    const vector = (v: THREE.Vector3) => { v.set(component(first), component(first + 1), component(first + 2)); };
    return { largest: Math.sqrt(largest), usual, arrow: { name: arrow.name, point: this.space.index.get(arrow.point)!, vector } };
  }

  /** The pull of a spring at both of its ends. */
  private springs(): Sized[] {
    const P = this.space.places, s = this.space.scale;
    return this.scene.springs.flatMap((spring) => {
      const [a, b] = spring.points.map((p) => this.space.index.get(p)!);
      const longest = spring.stiffness * Math.max(spring.rest, this.scene.size * 0.5);
      return [[a, b], [b, a]].map(([from, to]) => ({
        largest: longest,
        usual: longest,
        arrow: {
          name: `of ${spring.name}`,
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
