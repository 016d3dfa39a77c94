// The controls: header, transport bar, panel with its pages, keys. Everything can be reached by keyboard.

import type { ArrowKind } from "./arrows";
import { ARROW_COLOURS } from "./arrows";
import { PALETTE } from "./bodies";
import { button, ICONS, icon, make, show } from "./dom";
import type { Page } from "./main";
import { SPEEDS } from "./player";
import type { ViewName } from "./stage";
import type { Extent } from "./traces";

const KEYS: [string, string][] = [
  ["Space", "play or pause"], ["← →", "one frame back or forward (with Shift: ten)"], ["Home End", "begin, end"],
  ["+ −", "faster, slower"], ["L", "loop"], ["F", "fit everything"], ["1 2 3 4", "front, top, side, oblique"], ["0", "the view at the start"],
  ["N", "names"], ["V", "velocities"], ["A", "forces"], ["T", "torques"], ["R", "reactions"], ["G", "grid"], ["P", "panel"], ["D", "dark or light"], ["?", "this list"],
];
const VIEWS: [ViewName, string][] = [["front", "Front"], ["top", "Top"], ["side", "Side"], ["oblique", "Oblique"]];
const ROWS = 200; // points listed at most

export class Controls {
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly clock = make("output", { class: "clock", "aria-label": "Time", "aria-live": "off" });
  private readonly filmed = make("dd", { class: "filmed" });
  private readonly speed: HTMLSelectElement;
  private readonly loop: HTMLButtonElement;
  private readonly pages = new Map<string, { tab: HTMLButtonElement; body: HTMLElement }>();
  private readonly help: HTMLDialogElement;
  private readonly cells: { element: HTMLElement; coordinate: number }[] = [];
  private readonly switches = new Map<string, HTMLInputElement>();
  private current = "";
  private readonly digits: number;

  constructor(private readonly root: HTMLElement, private readonly page: Page, stage: HTMLElement, shadows: boolean) {
    const { motion, player } = page;
    this.digits = Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(motion.duration || 1))));
    this.play = button("Play", "Play or pause (Space)", () => player.play(!player.playing));
    this.play.className = "play";
    this.scrub = make("input", { type: "range", min: "0", max: "10000", step: "1", value: "0", "aria-label": "Time" });
    this.scrub.addEventListener("input", () => { player.playing = false; player.seek(motion.begin + (Number(this.scrub.value) / 10000) * motion.duration); });
    this.speed = this.makeSpeed();
    this.loop = button("Loop", "Start again at the end (L)", () => this.setLoop(!player.loop), icon(ICONS.loop));
    this.help = this.makeHelp();
    stage.append(this.makeCorner());
    root.append(this.makeHeader(), this.makeBanner(), make("main", {}, stage, this.makePanel(shadows)), this.makeTransport(), this.help);
    this.setLoop(!page.scene.early);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.setTheme(event.matches ? "dark" : "light"));
    document.addEventListener("keydown", (event) => this.key(event));
    this.choose("Plots");
    requestAnimationFrame(() => this.firstPlots());
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  }

  /** What changes with time. */
  update(): void {
    const { player, motion } = this.page, part = motion.duration > 0 ? (player.time - motion.begin) / motion.duration : 0;
    this.scrub.value = String(Math.round(10000 * part));
    this.scrub.style.setProperty("--part", `${100 * part}%`);
    const time = player.time.toFixed(this.digits);
    this.scrub.setAttribute("aria-valuetext", `${time} s`);
    this.clock.textContent = this.filmed.textContent = `${time} s`;
    const playing = String(player.playing);
    if (this.play.dataset.playing !== playing) {
      this.play.dataset.playing = playing;
      this.play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
      this.play.replaceChildren(icon(player.playing ? ICONS.pause : ICONS.play, true));
    }
    this.speed.value = String(player.speed);
    if (this.current === "Values") for (const { element, coordinate } of this.cells) element.textContent = motion.q[coordinate].toPrecision(8);
  }

  // -- pieces -------------------------------------------------------------------------------------------------------

  private makeHeader(): HTMLElement {
    const { page } = this, title = page.scene.title || "Mechanism";
    const views = make("div", { class: "group", role: "group", "aria-label": "Views" },
      button("Fit", "Fit everything (F)", () => page.stage.fit()),
      ...VIEWS.map(([name, label], i) => button(label, `${label} view (${i + 1})`, () => page.stage.view(name))));
    const tools = make("div", { class: "group" },
      button("Dark or light", "Dark or light (D)", () => this.setTheme(this.theme === "dark" ? "light" : "dark"), icon(ICONS.sun)),
      button("Panel", "Show or hide the panel (P)", () => this.togglePanel(), icon(ICONS.panel)),
      button("Keys", "Keyboard shortcuts (?)", () => this.help.showModal(), icon(ICONS.help)));
    return make("header", {}, make("h1", { title }, title), views, tools);
  }

  /** What must not be missed: that a run ended early, why and where, and what speaks against its result. */
  private makeBanner(): HTMLElement {
    const { scene } = this.page, banner = make("div", { class: "banner", role: "alert" });
    const outcome = scene.outcome.charAt(0).toUpperCase() + scene.outcome.slice(1);
    const lines = [...scene.doubts, ...(scene.early ? [outcome] : [])];
    if (scene.doubts.length) banner.classList.add("doubt");
    const close = button("Hide this", "Hide this", () => { banner.hidden = true; this.page.resize(); }, icon(ICONS.close));
    banner.append(make("div", {}, ...lines.map((line) => make("p", {}, line))), close);
    banner.hidden = !lines.length;
    return banner;
  }

  private makeTransport(): HTMLElement {
    const { player, scene, motion } = this.page;
    const marks = make("div", { class: "marks", "aria-hidden": "true" });
    for (const [name, t] of scene.events.slice(0, 300))
      marks.append(make("span", { title: `${name} at ${show(t)} s`, style: `left:${(100 * (t - motion.begin)) / (motion.duration || 1)}%` }));
    if (scene.early) marks.append(make("span", { class: "end", title: scene.outcome, style: "left:100%" }));
    return make("footer", {},
      make("div", { class: "group" },
        button("To the beginning", "To the beginning (Home)", () => player.seek(motion.begin), icon(ICONS.start, true)),
        button("Step back", "One frame back (←)", () => player.step(-1), icon(ICONS.back, true)),
        this.play,
        button("Step forward", "One frame forward (→)", () => player.step(1), icon(ICONS.forward, true)),
        this.loop),
      make("div", { class: "track" }, marks, this.scrub),
      this.clock,
      make("label", { class: "speed" }, make("span", {}, "speed"), this.speed));
  }

  private makeSpeed(): HTMLSelectElement {
    const { player } = this.page, select = make("select", { "aria-label": "Speed: model time to real time", title: "Model time to real time (+ and −)" });
    for (const s of SPEEDS) if (s / player.speed < 2e3 && player.speed / s < 2e3) select.append(make("option", { value: String(s) }, s === 1 ? "real time" : `× ${s}`));
    select.addEventListener("change", () => { player.speed = Number(select.value); });
    return select;
  }

  /** In a corner of the picture: the parameters the file asks to show, and the grid's mesh. */
  private makeCorner(): HTMLElement {
    const { scene, stage } = this.page, list = make("dl", { class: "corner" });
    for (const [name, value] of scene.parameters) list.append(make("dt", {}, name), make("dd", {}, show(value)));
    list.append(make("dt", {}, "grid"), make("dd", {}, `${show(stage.gridStep)} m`));
    list.append(make("dt", { class: "filmed" }, "time"), this.filmed);
    return list;
  }

  private makePanel(shadows: boolean): HTMLElement {
    const tabs = make("div", { class: "tabs", role: "tablist", "aria-label": "Panel" });
    const panel = make("aside", { id: "panel" }, tabs);
    const content: [string, HTMLElement][] = [
      ["Plots", this.page.plots.element], ["Show", this.makeShow(shadows)], ["Values", this.makeValues()], ["Run", this.makeRun()],
    ];
    for (const [name, element] of content) {
      const id = `page-${name.toLowerCase()}`;
      const tab = make("button", { type: "button", role: "tab", id: `tab-${name.toLowerCase()}`, "aria-controls": id }, name);
      tab.addEventListener("click", () => this.choose(name));
      tab.addEventListener("keydown", (event) => this.roam(event, name));
      const body = make("div", { id, role: "tabpanel", "aria-labelledby": tab.id, class: "page", tabindex: "0" }, element);
      this.pages.set(name, { tab, body });
      tabs.append(tab);
      panel.append(body);
    }
    return panel;
  }

  private roam(event: KeyboardEvent, name: string): void {
    const names = [...this.pages.keys()], step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.stopPropagation();
    const next = names[(names.indexOf(name) + step + names.length) % names.length];
    this.choose(next);
    this.pages.get(next)!.tab.focus();
  }

  private choose(name: string): void {
    this.current = name;
    for (const [other, { tab, body }] of this.pages) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      body.hidden = other !== name;
    }
    this.page.plots.resize();
    this.update();
  }

  private firstPlots(): void {
    const { page } = this, ids = page.plots.quantities.map((q) => q.id);
    const driving = ids.find((id) => id.startsWith("Driving"));
    const wanted = [...page.interesting().map((name) => `position ${name}`), "Energy", driving].filter((id) => id !== undefined && ids.includes(id));
    for (const id of wanted) page.plots.add(id!);
  }

  private toggle(id: string, label: string, on: boolean, action: (on: boolean) => void, colour = ""): HTMLElement {
    const box = make("input", { type: "checkbox" });
    box.checked = on;
    box.addEventListener("change", () => action(box.checked));
    this.switches.set(id, box);
    return make("label", { class: "check" }, box, colour ? make("span", { class: "dot", style: `--dot:${colour}` }) : null, label);
  }

  private makeShow(shadows: boolean): HTMLElement {
    const { page } = this, names: Record<ArrowKind, string> = { velocity: "Velocities", force: "Forces", torque: "Torques", reaction: "Reactions" };
    const arrows = page.arrows.kinds.map((kind) => this.toggle(kind, names[kind], false, (on) => page.showArrows(kind, on), ARROW_COLOURS[kind]));
    const length = make("input", { type: "range", min: "-1", max: "1", step: "0.05", value: "0", "aria-label": "Length of arrows" });
    length.addEventListener("input", () => { page.arrows.factor = 10 ** Number(length.value); page.redraw(); });
    return make("div", { class: "show" },
      make("h2", {}, "Picture"),
      this.toggle("names", "Names of points", false, (on) => page.names.show(on)),
      this.toggle("grid", "Grid", true, (on) => { page.stage.gridShown = on; page.redraw(); }),
      this.toggle("shadows", "Shadows", shadows, (on) => { page.stage.shadows = on; page.redraw(); }),
      make("h2", {}, "Arrows"), ...arrows,
      make("label", { class: "row" }, "length", length),
      make("h2", {}, "Follow"), this.makeFollow(),
      make("h2", {}, "Traces"), this.makeExtent(), this.makeTraces());
  }

  private makeFollow(): HTMLElement {
    const { page } = this, select = make("select", { "aria-label": "Follow" }, make("option", { value: "" }, "nothing"));
    for (const { name, points } of page.scene.rigids.slice(0, ROWS)) {
      const point = points.find((p) => page.space.isMoving(p));
      if (point) select.append(make("option", { value: point }, `part ${name}`));
    }
    for (const name of page.space.shown.filter((n) => page.space.isMoving(n)).slice(0, ROWS)) select.append(make("option", { value: name }, `point ${name}`));
    select.addEventListener("change", () => page.startFollowing(select.value));
    return select;
  }

  private makeExtent(): HTMLElement {
    const { page } = this, select = make("select", { "aria-label": "How much of a trace" });
    for (const [value, label] of [["whole", "the whole path"], ["past", "up to now"], ["tail", "a short tail"]]) select.append(make("option", { value }, label));
    select.addEventListener("change", () => { page.traces.extent = select.value as Extent; page.redraw(); });
    return select;
  }

  private makeTraces(): HTMLElement {
    const { page } = this, list = make("div", { class: "chips", role: "group", "aria-label": "Traces" });
    page.space.shown.forEach((name, i) => {
      if (!page.space.isMoving(name) || i >= ROWS) return;
      const colour = PALETTE[i % PALETTE.length];
      const chip = button(`Trace of ${name}`, `Trace of ${name}`, () => {
        const on = chip.getAttribute("aria-pressed") !== "true";
        chip.setAttribute("aria-pressed", String(on));
        page.trace(name, on);
      }, name);
      const wished = page.scene.traces.includes(name);
      chip.setAttribute("aria-pressed", String(wished));
      if (wished) page.trace(name, true);
      chip.style.setProperty("--dot", colour);
      list.append(chip);
    });
    return list;
  }

  private makeValues(): HTMLElement {
    const { scene, space } = this.page, axes = ["x", "y", "z"].slice(0, scene.dimension), body = make("tbody");
    const cell = (coordinate: number) => {
      const element = make("td", { "data-coordinate": scene.coordinates[coordinate] });
      this.cells.push({ element, coordinate });
      return element;
    };
    for (const name of space.shown.filter((n) => space.isMoving(n)).slice(0, ROWS)) body.append(make("tr", {}, make("th", { scope: "row" }, name), ...space.coordinates(name).map(cell)));
    const points = new Set(space.names.flatMap((name) => space.coordinates(name)));
    scene.coordinates.forEach((name, i) => {
      if (points.has(i) || this.cells.length > 3 * ROWS) return;
      const value = cell(i);
      value.colSpan = axes.length;
      body.append(make("tr", {}, make("th", { scope: "row" }, name.startsWith("slide_") ? name : `${name} [rad]`), value));
    });
    return make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "point"), ...axes.map((a) => make("th", { scope: "col" }, `${a} [m]`)))), body);
  }

  private makeRun(): HTMLElement {
    const { scene } = this.page, list = make("dl", { class: "run" });
    for (const [label, text] of scene.summary) list.append(make("dt", {}, label), make("dd", {}, text));
    const { count, accuracy: known } = scene.motion;
    const accuracy = known === null ? `the ${count} times of the results, interpolated` : `${count} knots, good to ${show(known, 1)} of the size`;
    list.append(make("dt", {}, "this page"), make("dd", {}, accuracy));
    for (const note of scene.notes) list.append(make("dt", {}, "note"), make("dd", {}, note));
    return list;
  }

  private makeHelp(): HTMLDialogElement {
    const list = make("dl", { class: "keys" });
    for (const [keys, what] of KEYS) list.append(make("dt", {}, ...keys.split(" ").map((k) => make("kbd", {}, k))), make("dd", {}, what));
    const dialog = make("dialog", { "aria-label": "Keyboard shortcuts" });
    const close = button("Close", "Close (Esc)", () => dialog.close());
    dialog.append(make("h2", {}, "Keys"), list, make("p", {}, "Drag turns, right drag or two fingers move, the wheel zooms. In a plot, drag zooms, a click goes to that time, a double click shows everything."), close);
    return dialog;
  }

  // -- state --------------------------------------------------------------------------------------------------------

  get theme(): string { return document.documentElement.dataset.theme ?? "light"; }

  private setTheme(theme: "light" | "dark"): void {
    document.documentElement.dataset.theme = theme;
    this.page.stage.paint(theme);
    this.page.plots.repaint();
    this.page.redraw();
  }

  private setLoop(on: boolean): void {
    this.page.player.loop = on;
    this.loop.setAttribute("aria-pressed", String(on));
  }

  private togglePanel(): void {
    this.root.classList.toggle("alone");
    this.page.resize();
  }

  private flip(id: string): void { this.switches.get(id)?.click(); }

  film(theme: "light" | "dark"): void {
    this.root.classList.add("alone", "film");
    this.setTheme(theme);
    this.page.player.play(false);
    this.page.resize();
    this.page.stage.fit();
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement, tag = target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (tag === "SELECT" || (tag === "INPUT" && event.key.startsWith("Arrow"))) return;
    if (event.key === " " && (tag === "BUTTON" || (target as HTMLInputElement).type === "checkbox")) return;
    const { player, stage, motion } = this.page, many = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => player.play(!player.playing), ArrowLeft: () => player.step(-many), ArrowRight: () => player.step(many),
      Home: () => player.seek(motion.begin), End: () => player.seek(motion.end), "+": () => player.faster(1), "=": () => player.faster(1),
      "-": () => player.faster(-1), l: () => this.setLoop(!player.loop), f: () => stage.fit(), 0: () => stage.view("start"),
      1: () => stage.view("front"), 2: () => stage.view("top"), 3: () => stage.view("side"), 4: () => stage.view("oblique"),
      n: () => this.flip("names"), v: () => this.flip("velocity"), a: () => this.flip("force"), t: () => this.flip("torque"), r: () => this.flip("reaction"),
      g: () => this.flip("grid"), p: () => this.togglePanel(), d: () => this.setTheme(this.theme === "dark" ? "light" : "dark"), "?": () => this.help.showModal(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
