// Small helpers for the page. Texts become text nodes, never markup.

type Content = Node | string | null | undefined;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...content: Content[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content.filter((c): c is Node | string => c !== null && c !== undefined));
  return element;
}

export function button(label: string, title: string, action: () => void, content: Content = label): HTMLButtonElement {
  const found = make("button", { type: "button", title, "aria-label": label }, content);
  found.addEventListener("click", action);
  return found;
}

/** An icon drawn by strokes on a 24 × 24 field. */
export function icon(path: string, filled = false): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  if (filled) svg.setAttribute("class", "filled");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  back: "M17 5.5v13L8.5 12zM5.5 5.5h2v13h-2z",
  forward: "M7 5.5v13l8.5-6.5zM16.5 5.5h2v13h-2z",
  start: "M18 5v14l-9-7zM5 5h2.4v14H5z",
  loop: "M17 3l3.5 3.5L17 10M20 6.5H8a4.5 4.5 0 0 0-4.5 4.5v1M7 21l-3.5-3.5L7 14M4 17.5h12a4.5 4.5 0 0 0 4.5-4.5v-1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4",
  help: "M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1.1-1.4 2.3M12 17.6v.2",
  panel: "M4 5h16v14H4zM14.5 5v14",
  close: "M6 6l12 12M18 6L6 18",
  add: "M12 5v14M5 12h14",
};

/** A number for people: up to so many digits, no long tails. */
export function show(x: number, digits = 5): string {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return x.toExponential(Math.max(0, digits - 1)).replace("e+", "e").replace("-", "−");
  return String(+x.toPrecision(digits)).replace("-", "−");
}
