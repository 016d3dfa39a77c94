// The page: reads its scene, builds the picture and the controls, and keeps them together.

import "./language";
import * as THREE from "three";
import { type ArrowKind, Arrows } from "./arrows";
import { Bodies, PALETTE } from "./bodies";
import { Controls } from "./controls";
import { make } from "./dom";
import { Names } from "./names";
import { Motion } from "./motion";
import { Player } from "./player";
import { Plots } from "./plots";
import { findQuantities } from "./quantities";
import { readScene } from "./scene";
import { Space } from "./space";
import { Springs } from "./springs";
import { Stage } from "./stage";
import { Stock } from "./stock";
import "./style.css";
import { Traces } from "./traces";

const MANY = 600; // parts beyond which shadows are left out unless asked for

export class Page {
  readonly scene = readScene();
  readonly motion = new Motion(this.scene);
  readonly space = new Space(this.scene);
  readonly player = new Player(this.motion.begin, this.motion.end);
  readonly stock = new Stock();
  readonly bodies: Bodies;
  readonly springs: Springs;
  readonly stage: Stage;
  readonly traces: Traces;
  readonly arrows: Arrows;
  readonly names: Names;
  readonly plots: Plots;
  readonly controls: Controls;
  following = "";
  private dirty = true;
  private readonly followed = new THREE.Vector3();

  constructor(root: HTMLElement) {
    const { scene, space, motion, stock } = this;
    document.title = scene.title || "linkwork";
    space.update(motion);
    this.bodies = new Bodies(scene, space, stock, (points, along) => this.travel(points, along));
    this.springs = new Springs(scene, space, motion, this.bodies);
    const element = make("section", { class: "stage", "aria-label": "The mechanism" }), w = this.bodies.w;
    const small = scene.rigids.length + scene.springs.length <= MANY;
    this.stage = new Stage(element, scene, space, scene.dimension === 2 ? -3.4 * this.bodies.pitch : 0, 4.5 * w);
    stock.build(this.stage.world, true);
    const lift = (point: string) => (scene.dimension === 2 ? this.bodies.front(point) : 0);
    this.traces = new Traces(space, motion, lift);
    this.arrows = new Arrows(scene, space, motion, w, lift);
    this.stage.world.add(this.springs.group, this.traces.group, this.arrows.group);
    this.stage.shadows = small;
    this.names = new Names(element, this.stage, space, stock, this.springs.group, lift);
    this.plots = new Plots(findQuantities(scene, space, motion), motion, (t) => this.player.seek(t));
    this.controls = new Controls(root, this, element, small);
    this.stage.onChange = this.player.onChange = () => { this.dirty = true; };
    this.stage.resize();
    this.stage.view("start");
    new ResizeObserver(() => this.resize()).observe(element);
    this.update();
    this.stage.renderer.setAnimationLoop((now) => this.frame(now));
  }

  /** Everything at the time shown. */
  update(): void {
    this.motion.seek(this.player.time);
    this.space.update(this.motion);
    this.follow();
    this.stock.update();
    this.springs.update();
    this.traces.update();
    this.arrows.update();
    this.controls.update();
    this.plots.update();
    this.stage.render();
    this.names.update();
    this.dirty = false;
  }

  redraw(): void { this.dirty = true; }

  resize(): void {
    this.stage.resize();
    this.traces.resize(this.stage.element.clientWidth, this.stage.element.clientHeight);
    this.plots.resize();
    this.update();
  }

  private frame(now: number): void {
    this.player.tick(now);
    if (this.dirty) this.update();
  }

  private follow(): void {
    const i = this.space.index.get(this.following);
    if (i === undefined) return;
    const P = this.space.places, place = new THREE.Vector3(P[3 * i], P[3 * i + 1], P[3 * i + 2]);
    const moved = place.clone().sub(this.followed);
    this.followed.copy(place);
    this.stage.camera.position.add(moved);
    this.stage.controls.target.add(moved);
    this.stage.controls.update();
  }

  startFollowing(point: string): void {
    this.following = point;
    const i = this.space.index.get(point);
    if (i === undefined) this.stage.fit();
    else this.followed.set(this.space.places[3 * i], this.space.places[3 * i + 1], this.space.places[3 * i + 2]);
    this.redraw();
  }

  trace(point: string, on: boolean): void {
    this.traces.toggle(point, PALETTE[this.space.names.indexOf(point) % PALETTE.length], on);
    this.traces.resize(this.stage.element.clientWidth, this.stage.element.clientHeight);
    this.redraw();
  }

  showArrows(kind: ArrowKind, on: boolean): void {
    this.arrows.show(kind, on);
    this.redraw();
  }

  /** The points to plot first: those the file traces, or else the one that moves farthest of those where parts meet. */
  interesting(): string[] {
    const traced = this.scene.traces.filter((name) => this.space.isMoving(name));
    if (traced.length) return [...new Set(traced)].slice(0, 2);
    const moving = this.space.shown.filter((name) => this.space.isMoving(name)), met = moving.filter((name) => this.bodies.isMet(name));
    return [this.farthest((met.length ? met : moving).slice(0, 200))];
  }

  private farthest(names: string[]): string {
    const reach = (name: string) => {
      const ranges = this.space.coordinates(name).map((_, axis) => this.travel([name], (x, y, z) => [x, y, z][axis]));
      return Math.hypot(...ranges.map(([low, high]) => high - low));
    };
    return names.map((name) => ({ name, far: reach(name) })).reduce((best, next) => (next.far > best.far * 1.001 ? next : best), { name: "", far: 0 }).name;
  }

  /** The names of all things drawn. */
  items(): string[] { return [...this.stock.labels(), ...this.springs.group.children.map((mesh) => String(mesh.userData.label))]; }

  private travel(points: string[], along: (x: number, y: number, z: number) => number): [number, number] {
    const times = Float64Array.from({ length: 400 }, (_, i) => this.motion.begin + (this.motion.duration * i) / 399);
    let low = Infinity, high = -Infinity;
    for (const point of points) {
      const path = this.space.path(this.motion, point, times);
      for (let i = 0; i < times.length; i++) {
        const x = along(path[3 * i], path[3 * i + 1], path[3 * i + 2]);
        low = Math.min(low, x);
        high = Math.max(high, x);
      }
    }
    return low <= high ? [low, high] : [0, 0];
  }
}

/** For scripts: tests and the video read and steer the page through this. */
function open(page: Page): object {
  return {
    begin: page.motion.begin,
    end: page.motion.end,
    get time() { return page.player.time; },
    get playing() { return page.player.playing; },
    get frames() { return page.stage.renderer.info.render.frame; },
    play: () => page.player.play(),
    pause: () => page.player.play(false),
    seek: (time: number) => { page.player.seek(time); page.update(); },
    speed: (factor: number) => { page.player.speed = factor; page.redraw(); },
    values: () => Object.fromEntries(page.scene.coordinates.map((name, i) => [name, page.motion.q[i]])),
    rates: () => Object.fromEntries(page.scene.coordinates.map((name, i) => [name, page.motion.u[i]])),
    traces: () => page.traces.shown(),
    arrows: () => page.arrows.shown(),
    plots: () => page.plots.shown(),
    items: () => page.items(),
    /** For a video: only the picture with title and time, no controls. */
    film: (theme: "light" | "dark") => page.controls.film(theme),
  };
}

function start(): void {
  const root = document.getElementById("app")!;
  try {
    (window as unknown as { linkwork: object }).linkwork = open(new Page(root));
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    root.replaceChildren(make("p", { class: "failure", role: "alert" }, `This page cannot show its mechanism: ${words}`));
    throw error;
  }
}

start();
