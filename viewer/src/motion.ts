// The motion: coordinates, speeds and accelerations at any time, by quintic Hermite interpolation between knots.

import { counts, doubles, floats, type Scene } from "./scene";

export class Motion {
  readonly n: number;
  readonly t: Float64Array;
  readonly q: Float64Array;
  readonly u: Float64Array;
  readonly a: Float64Array;
  time: number;
  private readonly raw: Uint32Array;
  private readonly low: Float64Array;
  private readonly step: Float64Array;
  private readonly speeds: Float32Array;
  private readonly accelerations: Float32Array;
  private last = 0;

  constructor(scene: Scene) {
    const m = scene.motion;
    this.n = scene.coordinates.length;
    this.t = doubles(m.t);
    this.raw = counts(m.q);
    this.low = doubles(m.low);
    this.step = doubles(m.step);
    this.speeds = floats(m.u);
    this.accelerations = floats(m.a);
    this.q = new Float64Array(this.n);
    this.u = new Float64Array(this.n);
    this.a = new Float64Array(this.n);
    this.time = this.begin;
    this.seek(this.begin);
  }

  get begin(): number { return this.t[0]; }
  get end(): number { return this.t[this.t.length - 1]; }
  get duration(): number { return this.end - this.begin; }

  /** The interval that holds a time: the last knot at or before it. */
  private find(time: number): number {
    const t = this.t;
    let i = this.last;
    if (!(t[i] <= time && time < t[i + 1])) {
      let low = 0, high = t.length - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (t[middle] <= time) low = middle; else high = middle;
      }
      i = low;
    }
    this.last = i;
    return i;
  }

  /** Put q, u and a of a time into the arrays of the same names. */
  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    const interval = this.t.length > 1 ? this.find(this.time) : 0;
    for (let c = 0; c < this.n; c++) {
      this.evaluate(c, interval, this.time);
      this.q[c] = out[0]; this.u[c] = out[1]; this.a[c] = out[2];
    }
  }

  /** One coordinate over many times that increase: values, rates or accelerations (level 0, 1, 2). */
  sample(coordinate: number, level: 0 | 1 | 2, times: ArrayLike<number>, into: Float64Array): void {
    for (let i = 0; i < times.length; i++) {
      const time = Math.min(Math.max(times[i], this.begin), this.end);
      this.evaluate(coordinate, this.t.length > 1 ? this.find(time) : 0, time);
      into[i] = out[level];
    }
  }

  private evaluate(c: number, i: number, time: number): void {
    const at = i * this.n + c, q0 = this.low[c] + this.step[c] * this.raw[at];
    const h = this.t.length > 1 ? this.t[i + 1] - this.t[i] : 0;
    if (h === 0) { out[0] = q0; out[1] = this.speeds[at]; out[2] = this.accelerations[at]; return; }
    const next = at + this.n, q1 = this.low[c] + this.step[c] * this.raw[next];
    const s = (time - this.t[i]) / h;
    const c1 = h * this.speeds[at], c2 = 0.5 * h * h * this.accelerations[at];
    const dq = q1 - (q0 + c1 + c2), du = h * this.speeds[next] - (c1 + 2 * c2), da = h * h * this.accelerations[next] - 2 * c2;
    const c3 = 10 * dq - 4 * du + 0.5 * da, c4 = -15 * dq + 7 * du - da, c5 = 6 * dq - 3 * du + 0.5 * da;
    out[0] = q0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))));
    out[1] = (c1 + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
    out[2] = (2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h);
  }
}

const out = new Float64Array(3);

/** The last sample at or before a time. times increase; where one occurs twice, what comes after it counts. */
function findSample(times: ArrayLike<number>, time: number): number {
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle; else high = middle;
  }
  return low;
}

/**
 * Values between samples, by the polynomial through `points` neighbours: fewer where there are fewer, none across a time
 * that occurs twice. results/record/samples.py chooses times so that six of them are enough.
 */
export function interpolate(times: ArrayLike<number>, values: ArrayLike<number>, time: number, width = 1, offset = 0, points = 6): number {
  const end = times.length - 1;
  if (end < 0) return NaN;
  if (time <= times[0]) return values[offset];
  if (time >= times[end]) return values[end * width + offset];
  const at = findSample(times, time);
  let first = at, last = at + 1;
  while (first > 0 && at - first < points && times[first - 1] < times[first]) first--;
  while (last < end && last - at < points && times[last + 1] > times[last]) last++;
  const start = Math.max(first, Math.min(at - (points / 2 - 1), last - (points - 1))), stop = Math.min(last, start + points - 1);
  let sum = 0;
  for (let m = start; m <= stop; m++) {
    let weight = values[m * width + offset];
    for (let j = start; j <= stop; j++) if (j !== m) weight *= (time - times[j]) / (times[m] - times[j]);
    sum += weight;
  }
  return sum;
}
