// The scene as Python writes it (docs/scene.md), and how its packed arrays are read.

export interface Rigid {
  name: string; points: string[]; geometry: number[][]; centroid: number[]; mass: number;
  arms: number[][][] | null; layer: number;
}
export interface Pair { name: string; points: string[] }
export interface Spring extends Pair { stiffness: number; rest: number; mass: number }
export interface Joint { name: string; kind: string; parts: string[]; points: string[]; axes: number[][]; slides: boolean }
export interface Wheel { name: string; part: string; centre: number[]; axle: number[]; radius: number; tread: number }
/** What is touched: lines, or a plane by a point and its directions, that move with a part or a point, or stand still. */
export interface Surface { name: string; part: string; point: string; lines: number[][][]; plane: number[][] | null }
export interface PackedMotion {
  count: number; accuracy: number | null; t: string; q: string; low: string; step: string; u: string; a: string;
}
export interface PackedCurve { group: string; name: string; unit: string; times: number; values: string }
export interface PackedArrow {
  kind: "force" | "torque" | "reaction" | "reaction torque"; name: string; point: string; part: string; times: number; values: string;
}
export interface PointPlace { coordinates?: number[]; at?: number[] }

export interface Scene {
  format: string; version: number; title: string; outcome: string; early: boolean; doubts: string[];
  summary: [string, string][]; notes: string[];
  dimension: 2 | 3; size: number; bounds: [number[], number[]];
  coordinates: string[]; scales: number[]; motion: PackedMotion;
  points: Record<string, PointPlace>;
  rigids: Rigid[]; springs: Spring[]; dampers: Pair[]; drivers: Pair[]; particles: { point: string; mass: number }[];
  lines: Pair[]; planes: Pair[]; joints: Joint[]; wheels: Wheel[]; surfaces: Surface[];
  gravity: number[] | null; torques: string[]; motions: string[];
  parameters: [string, number][]; traces: string[]; view: [number, number] | null; width: number | null; thickness: number | null;
  events: [string, number][]; curves: PackedCurve[]; arrows: PackedArrow[]; times: string[];
}

export function readScene(): Scene {
  const text = document.getElementById("scene")?.textContent ?? "";
  const scene = JSON.parse(text) as Scene;
  if (scene.format !== "linkwork scene" || scene.version !== 1) throw new Error("this page does not know its scene's version");
  return scene;
}

export const isTorque = (arrow: PackedArrow): boolean => arrow.kind.endsWith("torque");

/** How many components an arrow has: a torque of the plane has one. */
export const widthOf = (arrow: PackedArrow, scene: Scene): number => (isTorque(arrow) && scene.dimension === 2 ? 1 : scene.dimension);

function bytes(text: string): ArrayBuffer {
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found.buffer;
}

export const doubles = (text: string): Float64Array => new Float64Array(bytes(text));
export const floats = (text: string): Float32Array => new Float32Array(bytes(text));
export const counts = (text: string): Uint32Array => new Uint32Array(bytes(text));
