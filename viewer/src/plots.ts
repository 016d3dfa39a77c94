// Plots beside the picture: one card per quantity, with a cursor at the time shown, zoom by dragging, seeking by clicking.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { button, ICONS, icon, make, show } from "./dom";
import type { Motion } from "./motion";
import type { Quantity } from "./quantities";
import { niceStep } from "./stage";

const COLOURS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6"];
const FLAT = 1e-9; // of a value: what varies by less is constant, drawn in the middle of an axis of its own size
const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Plots {
  readonly element = make("div", { class: "plots" });
  private readonly cards: Card[] = [];
  private readonly list = make("div", { class: "cards" });

  constructor(readonly quantities: Quantity[], readonly motion: Motion, readonly seek: (time: number) => void) {
    const add = button("Add a plot", "Add a plot", () => this.add(quantities[Math.min(this.cards.length, quantities.length - 1)].id));
    add.className = "wide";
    this.element.append(this.list, add);
  }

  add(id: string): void {
    const quantity = this.quantities.find((q) => q.id === id) ?? this.quantities[0];
    if (!quantity) return;
    const card = new Card(this, quantity, () => { this.cards.splice(this.cards.indexOf(card), 1); card.remove(); });
    this.cards.push(card);
    this.list.append(card.element);
    card.draw();
  }

  /** What is plotted, with the numbers along its axis. */
  shown(): { name: string; ticks: string[] }[] { return this.cards.map((card) => card.shown()); }

  update(): void { for (const card of this.cards) card.update(); }
  resize(): void { for (const card of this.cards) card.resize(); }
  repaint(): void { for (const card of this.cards) card.draw(); }
}

class Card {
  readonly element: HTMLElement;
  private readonly field = make("div", { class: "field" });
  private readonly legend = make("div", { class: "legend" });
  private readonly now = make("div", { class: "now" });
  private values: HTMLElement[] = [];
  private plot: uPlot | null = null;
  private range: [number, number];

  constructor(private readonly plots: Plots, private quantity: Quantity, remove: () => void) {
    this.range = [plots.motion.begin, plots.motion.end];
    const select = make("select", { "aria-label": "What to plot" });
    for (const group of new Set(plots.quantities.map((q) => q.group)))
      select.append(make("optgroup", { label: group }, ...plots.quantities.filter((q) => q.group === group).map((q) => make("option", { value: q.id }, q.name))));
    select.value = quantity.id;
    select.addEventListener("change", () => {
      this.quantity = plots.quantities.find((q) => q.id === select.value)!;
      this.draw();
    });
    const all = button("Whole time", "Show the whole time again (or double-click)", () => this.zoom(plots.motion.begin, plots.motion.end), "all");
    const close = button("Remove this plot", "Remove this plot", remove, icon(ICONS.close));
    this.element = make("section", { class: "card" }, make("div", { class: "head" }, select, all, close), this.field, this.legend);
  }

  shown(): { name: string; ticks: string[] } {
    const axis = this.plot?.axes[1] as unknown as { _values?: string[] };
    return { name: this.quantity.id, ticks: axis?._values ?? [] };
  }

  remove(): void {
    this.plot?.destroy();
    this.element.remove();
  }

  draw(): void {
    this.plot?.destroy();
    const { quantity } = this, ink = style("--muted"), rule = style("--rule"), font = "11px " + style("--font");
    const axis: uPlot.Axis = { stroke: ink, font, grid: { stroke: rule, width: 1 }, ticks: { show: false }, border: { show: false } };
    const options: uPlot.Options = {
      ...this.size(),
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
      scales: { x: { time: false, range: () => this.range }, y: quantity.log ? { distr: 3 } : { range: (_u, low, high) => roomy(low, high) } },
      axes: [
        { ...axis, size: 26, splits: (_u, _i, low, high) => ticks(low, high, 4), values: (_u, splits) => labels(splits) },
        { ...axis, size: (_u, values) => 16 + 6.4 * Math.max(3, ...(values ?? []).map((text) => text.length)), ...(quantity.log
          ? { space: 32, values: (_u, splits) => splits.map((x) => (x === null ? "" : show(x, 3))) }
          : { splits: (_u, _i, low, high) => ticks(low, high, 4), values: (_u, splits) => labels(splits) }) },
      ],
      series: [{}, ...quantity.lines.map((line, i) => ({ label: line.name, stroke: style(COLOURS[i % COLOURS.length]), width: 1.6, points: { show: false } }))],
      hooks: { setSelect: [(u) => this.selected(u)], ready: [(u) => this.listen(u)], draw: [() => this.update()] },
    };
    this.plot = new uPlot(options, this.data(), this.field);
    this.plot.over.append(this.now);
    this.values = quantity.lines.map(() => make("b"));
    const unit = `${quantity.unit ? `[${quantity.unit}] ` : ""}over t [s]`;
    this.legend.replaceChildren(...quantity.lines.map((line, i) => make("span", { style: `--dot: var(${COLOURS[i % COLOURS.length]})` }, line.name, " ", this.values[i])), make("i", {}, unit));
    this.update();
  }

  private size(): { width: number; height: number } { return { width: Math.max(this.field.clientWidth, 120), height: 150 }; }

  /** The curves in the range shown, from as many times as they deserve. */
  private data(): uPlot.AlignedData {
    const [from, to] = this.range, { quantity, plots } = this;
    const knots = plots.motion.t.length * Math.min(1, (to - from) / (plots.motion.duration || 1));
    const count = Math.round(Math.min(6000, Math.max(700, 5 * knots)));
    const inside = quantity.own?.filter((t) => t >= from && t <= to);
    const even = Float64Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
    // few samples are not enough for a smooth line, but what happens at them is to be seen
    const times = !inside ? even : inside.length > count ? inside : Float64Array.of(...even, ...inside).sort();
    const columns = quantity.lines.map((line) => line.at(times));
    return [times, ...columns.map((values) => (values.every(Number.isFinite) ? values : Array.from(values, (x) => (Number.isFinite(x) ? x : null))))] as unknown as uPlot.AlignedData;
  }

  private zoom(from: number, to: number): void {
    this.range = [from, to];
    this.plot?.setData(this.data());
  }

  private selected(u: uPlot): void {
    const { left, width } = u.select;
    if (width > 5) this.zoom(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  /** A click without dragging goes to that time; a double click shows everything again. */
  private listen(u: uPlot): void {
    let down = 0;
    u.over.addEventListener("mousedown", (event) => { down = event.clientX; });
    u.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.plots.seek(u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x"));
    });
    u.over.addEventListener("dblclick", () => this.zoom(this.plots.motion.begin, this.plots.motion.end));
  }

  update(): void {
    if (!this.plot || !this.now.isConnected) return;
    const time = this.plots.motion.time, left = this.plot.valToPos(time, "x");
    this.now.style.transform = `translateX(${left}px)`;
    this.now.hidden = left < -1 || left > this.plot.over.clientWidth + 1;
    const moment = Float64Array.of(time);
    this.quantity.lines.forEach((line, i) => {
      const value = line.at(moment)[0];
      this.values[i].textContent = show(Math.abs(value) < (this.quantity.tiny ?? 0) ? 0 : value);
    });
  }

  resize(): void { if (this.element.offsetParent) this.plot?.setSize(this.size()); }
}

/** The range of an axis: a little more than the values take; about a constant, some of its own size. */
function roomy(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), range = high - low;
  if (range > FLAT * size) return [low - 0.06 * range, high + 0.06 * range];
  const room = size > 0 ? 0.5 * size : 1;
  return [low - room, high + room];
}

/** Round numbers between two others, three at least and about so many. */
function ticks(low: number, high: number, count: number): number[] {
  let step = niceStep((high - low) / count);
  const first = () => Math.ceil(low / step - 1e-9), last = () => Math.floor(high / step + 1e-9);
  while (last() - first() < 2 && step > 1e-14 * (high - low)) step = niceStep(step / 2.1);
  return Array.from({ length: last() - first() + 1 }, (_, i) => +((first() + i) * step).toPrecision(12));
}

/** Numbers of an axis, with as many digits as tell each from the next. */
function labels(splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 0, size = Math.max(...splits.map(Math.abs), 1e-300);
  const digits = step > 0 ? Math.min(12, Math.max(2, Math.floor(Math.log10(size)) - Math.floor(Math.log10(step * 1.0001)) + 1)) : 3;
  return splits.map((x) => show(x, digits).replace(/\.?0+e/, "e"));
}
