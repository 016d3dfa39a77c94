// Traces: the path of a point over the whole motion, faint, and what is behind it, strong.

import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Motion } from "./motion";
import type { Space } from "./space";

export type Extent = "whole" | "past" | "tail";
const MOST = 24000, TAIL = 0.06;

interface Trace { times: Float64Array; past: Line2; whole: Line2 }

export class Traces {
  readonly group = new THREE.Group();
  extent: Extent = "whole";
  private readonly traces = new Map<string, Trace>();

  constructor(private readonly space: Space, private readonly motion: Motion, private readonly lift: (point: string) => number) {}

  shown(): string[] { return [...this.traces.keys()]; }

  toggle(name: string, colour: string, on: boolean): void {
    const old = this.traces.get(name);
    if (old && !on) {
      for (const line of [old.past, old.whole]) { this.group.remove(line); line.geometry.dispose(); line.material.dispose(); }
      this.traces.delete(name);
    } else if (!old && on) this.traces.set(name, this.make(name, colour));
  }

  private make(name: string, colour: string): Trace {
    const knots = this.motion.t.length, count = Math.min(MOST, Math.max(600, 6 * knots));
    const times = Float64Array.from({ length: count }, (_, i) => this.motion.begin + (this.motion.duration * i) / (count - 1));
    const path = this.space.path(this.motion, name, times), z = this.lift(name);
    for (let i = 0; i < count; i++) path[3 * i + 2] += z;
    const line = (width: number, opacity: number) => {
      const found = new Line2(new LineGeometry().setPositions(path) as LineGeometry, new LineMaterial({ color: colour, linewidth: width, transparent: opacity < 1, opacity }));
      found.frustumCulled = false;
      this.group.add(found);
      return found;
    };
    return { times, whole: line(1.4, 0.3), past: line(2.4, 1) };
  }

  update(): void {
    const { begin, duration, time } = this.motion;
    for (const { times, past, whole } of this.traces.values()) {
      const steps = times.length - 1, done = duration > 0 ? Math.floor((steps * (time - begin)) / duration) : 0;
      const from = this.extent === "tail" ? Math.max(0, done - Math.ceil(TAIL * steps)) : 0;
      whole.visible = this.extent === "whole";
      past.visible = done > from;
      this.window(past, from, done - from);
    }
  }

  /** Show only some of a line's segments. */
  private window(line: Line2, from: number, count: number): void {
    const geometry = line.geometry, start = geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute;
    const end = geometry.getAttribute("instanceEnd") as THREE.InterleavedBufferAttribute;
    // an interleaved buffer of pairs: moving the offset moves the window
    if (start.offset !== 6 * from) {
      geometry.setAttribute("instanceStart", new THREE.InterleavedBufferAttribute(start.data, 3, 6 * from));
      geometry.setAttribute("instanceEnd", new THREE.InterleavedBufferAttribute(end.data, 3, 6 * from + 3));
    }
    geometry.instanceCount = count;
  }

  resize(width: number, height: number): void {
    for (const { past, whole } of this.traces.values())
      for (const line of [past, whole]) line.material.resolution.set(width, height);
  }
}
