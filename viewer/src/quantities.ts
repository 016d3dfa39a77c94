// Quantities that can be plotted: coordinates from the motion itself, everything else as it was recorded.

import { interpolate, type Motion } from "./motion";
import { doubles, floats, isTorque, type PackedArrow, type Scene, widthOf } from "./scene";
import type { Space } from "./space";

export interface Line { name: string; at: (times: Float64Array) => Float64Array }
export interface Quantity { id: string; group: string; name: string; unit: string; log?: boolean; lines: Line[]; own?: Float64Array; tiny?: number }

export function findQuantities(scene: Scene, space: Space, motion: Motion): Quantity[] {
  return [...ofPoints(scene, space, motion), ...ofAngles(scene, space, motion), ...recorded(scene), ...ofSprings(scene, space, motion), ...ofArrows(scene)];
}

function sampled(motion: Motion, coordinate: number, level: 0 | 1 | 2): (times: Float64Array) => Float64Array {
  return (times) => {
    const values = new Float64Array(times.length);
    motion.sample(coordinate, level, times, values);
    return values;
  };
}

const LEVELS = [["position", "m"], ["velocity", "m/s"], ["acceleration", "m/s²"]] as const;

function ofPoints(scene: Scene, space: Space, motion: Motion): Quantity[] {
  const moving = space.shown.filter((name) => space.isMoving(name));
  return LEVELS.flatMap(([what, unit], level) =>
    moving.map((name) => ({
      id: `${what} ${name}`, group: `Point: ${what}`, name: `${name}: ${what}`, unit, tiny: level === 0 ? 1e-12 * scene.size : 0,
      lines: space.coordinates(name).map((c) => ({ name: `${scene.coordinates[c]}${"′".repeat(level)}`, at: sampled(motion, c, level as 0 | 1 | 2) })),
    })));
}

function ofAngles(scene: Scene, space: Space, motion: Motion): Quantity[] {
  const points = new Set(space.names.flatMap((name) => space.coordinates(name)));
  const others = scene.coordinates.map((name, c) => ({ name, c })).filter(({ c }) => !points.has(c));
  return others.flatMap(({ name, c }) => {
    const slide = name.startsWith("slide_"), units = slide ? ["", "1/s"] : ["rad", "rad/s"];
    return ["", "rate"].map((what, level) => ({
      id: `angle ${name} ${level}`, group: slide ? "Slides" : "Angles", name: what ? `${name}: rate` : name, unit: units[level],
      lines: [{ name: name + "′".repeat(level), at: sampled(motion, c, level as 0 | 1) }],
    }));
  });
}

function recorded(scene: Scene): Quantity[] {
  const found = new Map<string, Quantity>();
  for (const curve of scene.curves) {
    const each = curve.group === "Driving", id = each ? `${curve.group} ${curve.name}` : curve.group;
    const times = doubles(scene.times[curve.times]), log = curve.group === "Constraint residuals";
    const values = Float64Array.from(floats(curve.values), (x) => (log && x <= 0 ? 1e-18 : x));
    const quantity = found.get(id) ?? { id, group: each ? "Driving force or torque" : "The whole mechanism", name: each ? `${curve.name}: driving ${curve.unit === "N" ? "force" : "torque"}` : curve.group, unit: curve.unit, log, lines: [], own: times };
    quantity.lines.push({ name: curve.name, at: (t) => t.map((x) => interpolate(times, values, x, 1, 0, log ? 2 : 6)) });
    found.set(id, quantity);
  }
  return [...found.values()];
}

function ofSprings(scene: Scene, space: Space, motion: Motion): Quantity[] {
  return scene.springs.map((spring) => {
    const at = (times: Float64Array) => {
      const [a, b] = spring.points.map((p) => space.path(motion, p, times)), s = space.scale;
      return times.map((_, i) => Math.hypot(b[3 * i] - a[3 * i], b[3 * i + 1] - a[3 * i + 1], b[3 * i + 2] - a[3 * i + 2]) / s);
    };
    return { id: `spring ${spring.name}`, group: "Springs", name: `${spring.name}: tension`, unit: "N", lines: [{ name: spring.name, at: (t) => at(t).map((l) => spring.stiffness * (l - spring.rest)) }] };
  });
}

const KINDS: Record<PackedArrow["kind"], string> = { force: "Force", torque: "Torque", reaction: "Reaction", "reaction torque": "Reaction torque" };

function ofArrows(scene: Scene): Quantity[] {
  return scene.arrows.map((arrow) => {
    const times = doubles(scene.times[arrow.times]), values = floats(arrow.values), d = widthOf(arrow, scene), kind = KINDS[arrow.kind];
    const part = (k: number) => (t: Float64Array) => t.map((x) => interpolate(times, values, x, d, k));
    const size = (t: Float64Array) => t.map((x) => Math.hypot(...[0, 1, 2].slice(0, d).map((k) => interpolate(times, values, x, d, k))));
    const components = ["x", "y", "z"].slice(0, d).map((axis, k) => ({ name: axis, at: part(k) }));
    return {
      id: `${arrow.kind} ${arrow.name}`, group: `${kind}s`, name: `${kind} ${arrow.name}`, unit: isTorque(arrow) ? "N m" : "N", own: times,
      lines: d === 1 ? [{ name: arrow.name, at: part(0) }] : [{ name: "size", at: size }, ...components],
    };
  });
}
