// Names: what is under the pointer, and labels of all points if wished.

import * as THREE from "three";
import { make } from "./dom";
import type { Space } from "./space";
import type { Stage } from "./stage";
import type { Stock } from "./stock";

const MOST = 150; // labels shown together

export class Names {
  private readonly tip = make("div", { class: "tip", role: "status" });
  private readonly layer = make("div", { class: "labels", "aria-hidden": "true" });
  private labels: { element: HTMLElement; point: number; lift: number }[] = [];
  private readonly ray = new THREE.Raycaster();
  private pointer: PointerEvent | null = null;

  constructor(element: HTMLElement, private readonly stage: Stage, private readonly space: Space, private readonly stock: Stock, private readonly others: THREE.Group, private readonly lift: (point: string) => number) {
    this.tip.hidden = true;
    element.append(this.layer, this.tip);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointermove", (event) => { this.pointer = event; this.hover(); });
    canvas.addEventListener("pointerleave", () => { this.pointer = null; this.tip.hidden = true; });
  }

  get shown(): boolean { return this.labels.length > 0; }

  show(on: boolean): void {
    this.labels = on
      ? this.space.shown.slice(0, MOST).map((name) => ({ element: make("span", {}, name), point: this.space.index.get(name)!, lift: this.lift(name) }))
      : [];
    this.layer.replaceChildren(...this.labels.map((label) => label.element));
    this.update();
  }

  update(): void {
    const P = this.space.places, v = new THREE.Vector3(), { clientWidth: width, clientHeight: height } = this.stage.element;
    for (const { element, point, lift } of this.labels) {
      v.set(P[3 * point], P[3 * point + 1], P[3 * point + 2] + lift).project(this.stage.camera);
      element.style.transform = `translate(${((v.x + 1) / 2) * width + 7}px, ${((1 - v.y) / 2) * height - 20}px)`;
      element.hidden = v.z > 1;
    }
    if (this.pointer && !this.tip.hidden) this.hover();
  }

  private hover(): void {
    const event = this.pointer!, box = this.stage.element.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    this.ray.setFromCamera(new THREE.Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.stage.camera);
    const hit = this.stock.pick(this.ray), other = this.ray.intersectObjects(this.others.children, false)[0];
    const label = other && (!hit || other.distance < hit.distance) ? String(other.object.userData.label ?? "") : hit?.item.label ?? "";
    this.tip.hidden = !label || event.buttons !== 0;
    this.tip.textContent = label;
    this.tip.style.transform = `translate(${Math.min(x + 14, box.width - this.tip.offsetWidth - 8)}px, ${Math.min(y + 16, box.height - 34)}px)`;
  }
}
