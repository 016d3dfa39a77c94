// Points in the picture: model coordinates -> places in a scene about one unit large, centred at its origin.

import type { Motion } from "./motion";
import type { Scene } from "./scene";

export class Space {
  readonly names: string[];
  /** Those that people know: the others only tell where a body is. */
  readonly shown: string[];
  readonly index: Map<string, number>;
  readonly dimension: 2 | 3;
  readonly centre: number[];
  readonly scale: number;
  /** Places (x, y, z) of all points now, in picture units. */
  readonly places: Float64Array;
  private readonly moving: { point: number; coordinates: number[] }[] = [];

  constructor(private readonly scene: Scene) {
    this.names = Object.keys(scene.points);
    this.shown = this.names.filter((name) => !isHidden(name));
    this.index = new Map(this.names.map((name, i) => [name, i]));
    this.dimension = scene.dimension;
    this.scale = 1 / scene.size;
    const [low, high] = scene.bounds;
    this.centre = [0, 1, 2].map((i) => ((low[i] ?? 0) + (high[i] ?? 0)) / 2);
    this.places = new Float64Array(3 * this.names.length);
    this.names.forEach((name, i) => {
      const { coordinates, at } = scene.points[name];
      if (coordinates) this.moving.push({ point: i, coordinates });
      else (at ?? []).forEach((x, axis) => { this.places[3 * i + axis] = this.unit(x, axis); });
    });
  }

  unit(x: number, axis: number): number { return (x - this.centre[axis]) * this.scale; }

  update(motion: Motion): void {
    for (const { point, coordinates } of this.moving)
      for (let axis = 0; axis < coordinates.length; axis++)
        this.places[3 * point + axis] = this.unit(motion.q[coordinates[axis]], axis);
  }

  isMoving(name: string): boolean { return this.scene.points[name]?.coordinates !== undefined; }

  coordinates(name: string): number[] { return this.scene.points[name]?.coordinates ?? []; }

  /** Places of one point over time, as x, y, z triples. */
  path(motion: Motion, name: string, times: Float64Array): Float32Array {
    const found = new Float32Array(3 * times.length), column = new Float64Array(times.length);
    const coordinates = this.coordinates(name), i = this.index.get(name)!;
    for (let axis = 0; axis < 3; axis++) {
      if (coordinates.length) {
        if (axis < coordinates.length) {
          motion.sample(coordinates[axis], 0, times, column);
          for (let k = 0; k < times.length; k++) found[3 * k + axis] = this.unit(column[k], axis);
        }
      } else for (let k = 0; k < times.length; k++) found[3 * k + axis] = this.places[3 * i + axis];
    }
    return found;
  }
}

/** Whether a point was made to carry a body whose frames are not where its axes need points. */
export const isHidden = (name: string): boolean => /\._[0xy]$/.test(name);
