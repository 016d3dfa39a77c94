// Bodies: what stands where. A scene in, items of the stock out: parts, pins, sliders, supports, particles, joints.

import * as THREE from "three";
import type { Joint, Pair, Rigid, Scene, Surface, Wheel } from "./scene";
import * as shapes from "./shapes";
import type { Flat } from "./shapes";
import { isHidden, type Space } from "./space";
import type { Stock } from "./stock";

export const PALETTE = ["#3f72af", "#d9893b", "#4f9d8a", "#b5546a", "#7c6bb0", "#8a9a46", "#5b8fb9", "#a8744f"];
const STEEL = new THREE.Color("#e9edf1"), GROUND = new THREE.Color("#8b929c"), BALL = new THREE.Color("#66758a");

const BALL_RADIUS = [1.1, 0.8, 0.018]; // in half widths of an arm, more for heavier ones; of the picture at most

const GRID = { half: 0.65, lines: 7 }; // of a plane: half its width, in sizes of the picture

type Place = (matrix: THREE.Matrix4) => void;
/** How far points travel along a direction, from and to. */
export type Travel = (points: string[], along: (x: number, y: number) => number) => [number, number];

export class Bodies {
  /** Half the width of an arm, thickness of a part, distance of layers; in picture units. */
  readonly w: number;
  readonly thickness: number;
  readonly pitch: number;
  readonly back: number;
  private readonly layerOf = new Map<string, [number, number]>();
  private readonly frames = new Map<string, Place>();
  private readonly users = new Map<string, number>();
  private readonly balls = new Map<string, number>();
  private readonly held = new Set<string>();

  constructor(
    private readonly scene: Scene, private readonly space: Space, private readonly stock: Stock, private readonly travel: Travel,
  ) {
    const s = space.scale;
    const lengths = scene.rigids.flatMap((r) => r.geometry.filter((_, i) => !isHidden(r.points[i])).map((p) => Math.hypot(...p) * s)).filter((l) => l > 0);
    const shortest = Math.min(...lengths, 1);
    this.w = scene.width !== null ? clamp(scene.width * s, 0.002, 0.08) : clamp(0.2 * shortest, 0.0035, 0.0135);
    this.thickness = scene.thickness !== null ? clamp(2 * scene.thickness * s, 0.3 * this.w, 3 * this.w) : 0.9 * this.w;
    this.pitch = 1.22 * this.thickness;
    this.back = -1.1 * this.pitch;
    this.countUsers();
    scene.rigids.forEach((rigid, i) => this.addRigid(rigid, i));
    if (scene.dimension === 2) this.addPlane(); else this.addSpace();
    this.addParticles();
    scene.surfaces.forEach((surface) => this.addSurface(surface));
  }

  /** Where along z something attached to these points belongs. */
  depth(...points: string[]): number {
    const ranges = points.map((p) => this.layerOf.get(p)).filter((r) => r !== undefined);
    return ranges.length ? (ranges.reduce((sum, [a, b]) => sum + a + b, 0) / (2 * ranges.length)) * this.pitch : 0;
  }

  /** Just before everything at a point. */
  front(point: string): number {
    const [, high] = this.layerOf.get(point) ?? [0, 0];
    return Math.max(high * this.pitch + 1.2 * this.thickness, this.depth(point) + (this.balls.get(point) ?? 0));
  }

  /** Whether something else meets a point: it is not there only to be measured or to give a part its frame. */
  isMet(point: string): boolean { return (this.users.get(point) ?? 0) > 1 || this.held.has(point); }

  private countUsers(): void {
    const { rigids, springs, dampers, drivers, particles } = this.scene;
    for (const part of [...rigids, ...springs, ...dampers, ...drivers])
      for (const p of part.points) this.users.set(p, (this.users.get(p) ?? 0) + 1);
    for (const { point } of particles) this.users.set(point, (this.users.get(point) ?? 0) + 1);
    for (const { points } of [...this.scene.lines, ...this.scene.planes, ...this.scene.joints]) points.forEach((p) => this.held.add(p));
    for (const { point } of particles) this.held.add(point);
    for (const { points } of drivers) points.forEach((p) => this.balls.set(p, 1.3 * this.w));
    for (const rigid of rigids)
      for (const p of rigid.points) {
        const [low, high] = this.layerOf.get(p) ?? [rigid.layer, rigid.layer];
        this.layerOf.set(p, [Math.min(low, rigid.layer), Math.max(high, rigid.layer)]);
      }
  }

  // -- parts --------------------------------------------------------------------------------------------------------

  private addRigid(rigid: Rigid, i: number): void {
    const s = this.space.scale, local = rigid.geometry.map((p) => p.map((x) => x * s));
    const place = this.frame(rigid);
    this.frames.set(rigid.name, place);
    const wheels = this.scene.wheels.filter((wheel) => wheel.part === rigid.name);
    const key = JSON.stringify([local.map((p) => p.map((x) => +x.toPrecision(9))), rigid.arms, wheels]);
    const colour = new THREE.Color(PALETTE[i % PALETTE.length]);
    this.stock.add(key, "part", () => this.withWheels(this.shape(rigid, local), wheels), { label: rigid.name, colour, place });
  }

  private withWheels(body: THREE.BufferGeometry, wheels: Wheel[]): THREE.BufferGeometry {
    const s = this.space.scale;
    const made = wheels.map((x) => shapes.wheel(x.centre.map((c) => c * s), x.axle, x.radius * s, x.tread * s, this.w));
    return shapes.together([body, ...made]);
  }

  /** What is touched, as thin lines: rims of cams and bowls, circles of balls without a part, planes as lines or grids. */
  private addSurface(surface: Surface): void {
    const s = this.space.scale, frame = this.frames.get(surface.part);
    const pairs = [...surface.lines, ...this.grid(surface, !frame)].map((pair) => pair.map((p) => p.map((x) => x * s)));
    const [x, y, z] = this.space.centre.map((c) => -c * s);
    const still: Place = (m) => { m.makeTranslation(x, y, z); };
    const place = frame ?? (surface.point ? this.atPoint(surface.point, this.depth(surface.point)) : still);
    this.stock.add(`surface ${surface.name}`, "ground", () => shapes.rods(pairs, (surface.plane ? 0.12 : 0.3) * this.w), {
      label: surface.name, colour: GROUND, place, still: place === still,
    });
  }

  /** Lines that show a plane, about as large as the picture; one that stands still is shown where the motion is. */
  private grid(surface: Surface, still: boolean): number[][][] {
    if (!surface.plane) return [];
    const [o, ...along] = surface.plane, half = GRID.half / this.space.scale;
    const middle = along.map((d) => (still ? d.reduce((sum, x, i) => sum + x * (this.space.centre[i] - o[i]), 0) : 0));
    const at = (...steps: number[]) => o.map((x, i) => x + along.reduce((sum, d, k) => sum + (middle[k] + steps[k]) * d[i], 0));
    if (along.length === 1) return [[at(-half), at(half)]];
    const steps = Array.from({ length: GRID.lines }, (_, i) => half * ((2 * i) / (GRID.lines - 1) - 1));
    return steps.flatMap((a) => [[at(a, -half), at(a, half)], [at(-half, a), at(half, a)]]);
  }

  private shape(rigid: Rigid, local: number[][]): THREE.BufferGeometry {
    const s = this.space.scale;
    local = local.filter((_, i) => !isHidden(rigid.points[i]));
    const pairs = rigid.arms?.map((pair) => pair.map((p) => p.map((x) => x * s)));
    if (this.scene.dimension === 3) {
      if (pairs?.length) return shapes.rods(pairs, 0.75 * this.w);
      return this.solid(rigid, local);
    }
    if (pairs?.length) return shapes.arms(pairs as Flat[][], this.w, this.thickness);
    return shapes.prism(shapes.around(local as Flat[], local.length > 1 ? this.w : 2 * this.w), this.thickness);
  }

  /** A rod, a plate or a hull around the points where something is attached; other points are pegs on it. */
  private solid(rigid: Rigid, local: number[][]): THREE.BufferGeometry {
    const held = new Set(this.scene.joints.flatMap((j) => j.points));
    const attached = (p: string) => (this.users.get(p) ?? 0) > 1 || held.has(p) || !this.space.isMoving(p);
    const points = rigid.points.filter((p) => !isHidden(p));
    const some = local.filter((_, i) => attached(points[i])), main = some.length > 1 ? some : local;
    const pegs = local.filter((p) => !main.includes(p)).map((p) => shapes.peg(p, main[0], main[1], this.w));
    return shapes.together([this.hull(main), ...pegs]);
  }

  private hull(main: number[][]): THREE.BufferGeometry {
    if (main.length === 1) return new THREE.SphereGeometry(2.2 * this.w, 28, 20).translate(main[0][0], main[0][1], main[0][2] ?? 0);
    if (main.length === 2) return shapes.rods([main], 0.85 * this.w);
    if (main.every((p) => (p[2] ?? 0) === 0)) return shapes.prism(shapes.around(main as Flat[], this.w), 1.1 * this.w);
    return shapes.solid(main, 0.8 * this.w);
  }

  /** How a rigid part's frame follows from its first two or three points. */
  private frame(rigid: Rigid): Place {
    const at = rigid.points.map((p) => 3 * this.space.index.get(p)!), P = this.space.places;
    if (this.scene.dimension === 2) {
      const [a, b] = at, z = rigid.layer * this.pitch;
      return (m) => {
        const dx = P[b] - P[a], dy = P[b + 1] - P[a + 1], l = Math.hypot(dx, dy) || 1;
        m.set(dx / l, -dy / l, 0, P[a], dy / l, dx / l, 0, P[a + 1], 0, 0, 1, z, 0, 0, 0, 1);
      };
    }
    const [a, b, c] = at, x = new THREE.Vector3(), y = new THREE.Vector3(), z = new THREE.Vector3();
    const corner = (i: number, into: THREE.Vector3) => into.set(P[i] - P[a], P[i + 1] - P[a + 1], P[i + 2] - P[a + 2]);
    return (m) => {
      corner(b, x).normalize();
      if (c === undefined) across(x, y); else corner(c, y);
      y.addScaledVector(x, -x.dot(y)).normalize();
      z.crossVectors(x, y);
      m.makeBasis(x, y, z).setPosition(P[a], P[a + 1], P[a + 2]);
    };
  }

  // -- the plane ----------------------------------------------------------------------------------------------------

  private addPlane(): void {
    const { w } = this, guided = this.addGuides(), jointed = this.addPlaneJoints(guided);
    for (const name of this.space.shown) {
      const users = (this.users.get(name) ?? 0) + (jointed.get(name) ?? 0), moving = this.space.isMoving(name);
      if (!users || (guided.has(name) && !moving)) continue;
      const [low, high] = this.layerOf.get(name) ?? [0, 0];
      const bottom = (moving ? low : -1.15) * this.pitch, top = high * this.pitch;
      const length = top - bottom + 1.5 * this.thickness, z = (top + bottom) / 2;
      const joined = users > 1 || !moving || guided.has(name);
      const radius = (joined ? 0.52 : 0.34) * w;
      const key = `pin ${radius.toFixed(6)} ${length.toFixed(6)}`;
      this.stock.add(key, "metal", () => shapes.pin(radius, length), { label: name, colour: STEEL, place: this.atPoint(name, z) });
      if (!moving)
        this.stock.add("support", "ground", () => shapes.support(w, this.thickness), {
          label: `${name} (fixed)`, colour: GROUND, place: this.atPoint(name, this.back), still: true,
        });
    }
  }

  /** Rails and blocks of points that stay on a line; returns the points that slide or only mark a line. */
  private addGuides(): Set<string> {
    const guided = new Set<string>();
    for (const line of this.scene.lines) {
      const fixed = line.points.filter((p) => !this.space.isMoving(p));
      const rigid = fixed.length >= 2 ? null : this.scene.rigids.find((r) => line.points.filter((p) => r.points.includes(p)).length >= 2);
      const base = fixed.length >= 2 ? fixed.slice(0, 2) : rigid ? line.points.filter((p) => rigid.points.includes(p)).slice(0, 2) : line.points.slice(0, 2);
      const sliding = line.points.filter((p) => !base.includes(p) && this.space.isMoving(p) && !fixed.includes(p));
      sliding.forEach((p) => guided.add(p));
      if (fixed.length >= 2) {
        fixed.filter((p) => !this.users.get(p)).forEach((p) => guided.add(p));
        this.addRail(base, sliding, line);
      }
      for (const p of sliding) this.addBlock(p, base, rigid?.layer);
    }
    return guided;
  }

  /** Sliders of named joints; returns how many other parts a joint brings to a point. */
  private addPlaneJoints(guided: Set<string>): Map<string, number> {
    const found = new Map<string, number>();
    for (const joint of this.scene.joints) {
      const [one, two] = joint.points, onGround = joint.parts[0] === "world";
      if (!joint.slides) {
        // the pin is drawn once, at the second point; a support where one side is the world
        const pinned = joint.parts[1] === "world" || onGround ? (this.space.isMoving(one) ? two : one) : two;
        found.set(pinned, (found.get(pinned) ?? 0) + 1);
        continue;
      }
      guided.add(two);
      found.set(two, (found.get(two) ?? 0) + 1);
      if (onGround) this.addGroundRail(joint);
      this.addSlider(joint);
    }
    return found;
  }

  private addSlider(joint: Joint): void {
    const { w } = this, P = this.space.places, c = 3 * this.space.index.get(joint.points[1])!;
    const frame = this.frames.get(joint.parts[0]), own = new THREE.Matrix4(), x = new THREE.Vector3();
    const z = this.depth(joint.points[1]);
    this.stock.add("slider", "metal", () => shapes.roundedBox(4.4 * w, 3 * w, 1.3 * this.thickness, 0.4 * w), {
      label: `${joint.name} (${joint.kind})`, colour: new THREE.Color("#98a2ae"),
      place: (m) => {
        x.set(joint.axes[0][0], joint.axes[0][1], 0);
        if (frame) { frame(own); x.transformDirection(own); }
        m.set(x.x, -x.y, 0, P[c], x.y, x.x, 0, P[c + 1], 0, 0, 1, z, 0, 0, 0, 1);
      },
    });
  }

  private addGroundRail(joint: Joint): void {
    const { w } = this, P = this.space.places, a = 3 * this.space.index.get(joint.points[0])!;
    const sign = joint.axes[0][0] < 0 || (joint.axes[0][0] === 0 && joint.axes[0][1] < 0) ? -1 : 1;
    const [dx, dy] = joint.axes[0].map((c) => sign * c);
    const [from, to] = this.travel([joint.points[1]], (x, y) => (x - P[a]) * dx + (y - P[a + 1]) * dy);
    const length = to - from + 9 * w, middle = (from + to) / 2;
    this.stock.add(`rail ${length}`, "ground", () => shapes.hatching(length, w, this.thickness), {
      label: `guide ${joint.name}`, colour: GROUND, still: true,
      place: (m) => {
        const x = P[a] + middle * dx + 1.5 * w * dy, y = P[a + 1] + middle * dy - 1.5 * w * dx;
        m.set(dx, -dy, 0, x, dy, dx, 0, y, 0, 0, 1, this.depth(joint.points[1]), 0, 0, 0, 1);
      },
    });
  }

  private addBlock(point: string, base: string[], layer: number | undefined): void {
    const { w } = this, P = this.space.places;
    const [a, b] = base.map((p) => 3 * this.space.index.get(p)!), c = 3 * this.space.index.get(point)!;
    const z = layer === undefined ? this.depth(point) : layer * this.pitch;
    const thick = layer === undefined ? this.thickness : 1.5 * this.thickness;
    this.stock.add(`block ${thick}`, "metal", () => shapes.roundedBox(4.4 * w, 3 * w, thick, 0.4 * w), {
      label: `${point} (slides on ${base.join("")})`, colour: new THREE.Color("#98a2ae"),
      place: (m) => {
        const dx = P[b] - P[a], dy = P[b + 1] - P[a + 1], l = Math.hypot(dx, dy) || 1;
        m.set(dx / l, -dy / l, 0, P[c], dy / l, dx / l, 0, P[c + 1], 0, 0, 1, z, 0, 0, 0, 1);
      },
    });
  }

  /** A hatched rail below the blocks, along their whole travel. */
  private addRail(base: string[], sliding: string[], line: Pair): void {
    const { w } = this, P = this.space.places, [a, b] = base.map((p) => 3 * this.space.index.get(p)!);
    let dx = P[b] - P[a], dy = P[b + 1] - P[a + 1];
    const l = Math.hypot(dx, dy) || 1;
    dx /= l; dy /= l;
    if (dx < 0 || (dx === 0 && dy < 0)) { dx = -dx; dy = -dy; }
    const [from, to] = this.travel(sliding, (x, y) => (x - P[a]) * dx + (y - P[a + 1]) * dy);
    const length = to - from + 9 * w, middle = (from + to) / 2;
    this.stock.add(`rail ${length}`, "ground", () => shapes.hatching(length, w, this.thickness), {
      label: `guide ${line.name}`, colour: GROUND, still: true,
      place: (m) => {
        const x = P[a] + middle * dx + 1.5 * w * dy, y = P[a + 1] + middle * dy - 1.5 * w * dx;
        m.set(dx, -dy, 0, x, dy, dx, 0, y, 0, 0, 1, this.depth(...sliding), 0, 0, 0, 1);
      },
    });
  }

  // -- space --------------------------------------------------------------------------------------------------------

  private addSpace(): void {
    const { w } = this, jointed = new Set<string>();
    for (const joint of this.scene.joints) {
      joint.points.forEach((p) => jointed.add(p));
      this.addJoint(joint);
    }
    for (const name of this.space.shown) {
      const users = this.users.get(name) ?? 0, moving = this.space.isMoving(name);
      if (!users) continue;
      if (!moving) {
        const place = this.atPoint(name, 0);
        this.stock.add("standing", "ground", () => shapes.standing(w), { label: `${name} (fixed)`, colour: GROUND, place, still: true });
      }
      if (jointed.has(name)) continue;
      const radius = users > 1 || !moving ? 1.35 * w : 0.55 * w;
      this.stock.add(`ball ${radius}`, "metal", () => new THREE.SphereGeometry(radius, 24, 16), {
        label: name, colour: STEEL, place: this.atPoint(name, 0),
      });
    }
    for (const line of this.scene.lines)
      for (const p of line.points.slice(2))
        this.stock.add("sleeve", "metal", () => shapes.pin(1.5 * w, 4.5 * w), {
          label: `${p} (slides on ${line.name})`, colour: STEEL, place: this.alongLine(p, line.points[0], line.points[1]),
        });
  }

  private addJoint(joint: Joint): void {
    const make = shapes.JOINTS[joint.kind] ?? shapes.JOINTS.spherical;
    const place = this.jointFrame(joint);
    this.stock.add(`joint ${joint.kind}`, "metal", () => make(this.w), {
      label: `${joint.name} (${joint.kind})`, colour: STEEL, place,
    });
  }

  /** The frame of a joint: its axis, fixed in one of its parts, along z; a universal joint also shows its second axis. */
  private jointFrame(joint: Joint): Place {
    const P = this.space.places, at = 3 * this.space.index.get(joint.points[1])!;
    const directions = joint.axes.map((axis, i) => {
      const frame = this.frames.get(joint.parts[i]), own = new THREE.Matrix4();
      const v = new THREE.Vector3(axis[0] ?? 0, axis[1] ?? 0, axis[2] ?? 0).normalize();
      return (into: THREE.Vector3) => {
        into.copy(v);
        if (frame) { frame(own); into.transformDirection(own); }
      };
    });
    const x = new THREE.Vector3(), y = new THREE.Vector3(), z = new THREE.Vector3(0, 0, 1);
    return (m) => {
      if (directions.length) directions[0](z);
      if (joint.kind === "universal" && directions.length > 1) directions[1](y); else across(z, y);
      y.addScaledVector(z, -z.dot(y)).normalize();
      x.crossVectors(y, z);
      m.makeBasis(x, y, z).setPosition(P[at], P[at + 1], P[at + 2]);
    };
  }

  private alongLine(point: string, one: string, other: string): Place {
    const P = this.space.places, [c, a, b] = [point, one, other].map((p) => 3 * this.space.index.get(p)!);
    const x = new THREE.Vector3(), y = new THREE.Vector3(), z = new THREE.Vector3();
    return (m) => {
      z.set(P[b] - P[a], P[b + 1] - P[a + 1], P[b + 2] - P[a + 2]).normalize();
      across(z, y);
      y.addScaledVector(z, -z.dot(y)).normalize();
      x.crossVectors(y, z);
      m.makeBasis(x, y, z).setPosition(P[c], P[c + 1], P[c + 2]);
    };
  }

  // -- both ---------------------------------------------------------------------------------------------------------

  private addParticles(): void {
    const largest = Math.max(...this.scene.particles.map((p) => p.mass), 1e-300), [least, more, most] = BALL_RADIUS;
    const sliding = new Set(this.scene.dimension === 2 ? this.scene.lines.flatMap((l) => l.points) : []);
    for (const { point, mass } of this.scene.particles) {
      if (sliding.has(point)) continue;
      const radius = Math.min(this.w * (least + more * Math.cbrt(Math.max(mass, 0) / largest)), most);
      this.balls.set(point, radius);
      this.stock.add(`particle ${radius.toPrecision(6)}`, "part", () => new THREE.SphereGeometry(radius, 32, 24), {
        label: `${point}: particle, ${mass.toPrecision(4)} kg`, colour: BALL, place: this.atPoint(point, this.depth(point)),
      });
    }
  }

  private atPoint(name: string, z: number): Place {
    const at = 3 * this.space.index.get(name)!, P = this.space.places;
    return (m) => m.makeTranslation(P[at], P[at + 1], P[at + 2] + z);
  }
}

/** Some direction across another one. */
export function across(x: THREE.Vector3, into: THREE.Vector3): THREE.Vector3 {
  return Math.abs(x.z) < 0.9 ? into.set(0, 0, 1) : into.set(0, 1, 0);
}

export function clamp(x: number, low: number, high: number): number { return Math.min(Math.max(x, low), high); }
