// The stage: renderer, camera, light, backdrop. Knows the size of the picture, not what is in it.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "./scene";
import type { Space } from "./space";

export type ViewName = "start" | "front" | "top" | "side" | "oblique";
const FIELD = 26; // degrees: a long lens, so that perspective is felt but lengths can be compared

interface Theme { sky: string; grid: string; axis: string; light: number; fill: number; shadow: number }
const THEMES: Record<"light" | "dark", Theme> = {
  light: { sky: "#f4f6f8", grid: "#dde2e8", axis: "#c3cad3", light: 2.3, fill: 1.5, shadow: 0.16 },
  dark: { sky: "#15191f", grid: "#252b34", axis: "#3a434f", light: 2.1, fill: 1.0, shadow: 0.45 },
};

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly world = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly gridStep: number;
  onChange: () => void = () => {};
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2);
  private readonly fill = new THREE.HemisphereLight("#ffffff", "#8d96a3", 1);
  private readonly grid: THREE.LineSegments;
  private readonly floor: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly half: THREE.Vector3;
  private readonly flat: boolean;

  constructor(readonly element: HTMLElement, private readonly scene: Scene, space: Space, back: number, margin: number) {
    this.flat = scene.dimension === 2;
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    element.append(this.renderer.domElement);
    this.camera.up.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.onChange());
    const [low, high] = scene.bounds;
    this.half = new THREE.Vector3(...[0, 1, 2].map((i) => ((high[i] ?? 0) - (low[i] ?? 0)) * 0.5 * space.scale + margin));
    this.gridStep = niceStep(0.09 * scene.size);
    this.grid = this.makeGrid(space, back);
    this.floor = this.makeFloor(back);
    this.world.add(this.fill, this.sun, this.sun.target, this.grid, this.floor);
    this.aim();
  }

  private makeGrid(space: Space, back: number): THREE.LineSegments {
    const step = this.gridStep * space.scale, reach = this.flat ? 3 : 1.6, lines: number[] = [], count = Math.ceil(reach / step);
    const level = this.flat ? back : -this.half.z - 0.02;
    const origin = [0, 1].map((axis) => space.unit(Math.round(space.centre[axis] / this.gridStep) * this.gridStep, axis));
    for (let i = -count; i <= count; i++) {
      const [x, y] = origin.map((o) => o + i * step);
      lines.push(x, -reach, level, x, reach, level, -reach, y, level, reach, y, level);
    }
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(lines, 3));
    const grid = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial());
    grid.renderOrder = -1;
    return grid;
  }

  private makeFloor(back: number): THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial> {
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(12, 12), new THREE.ShadowMaterial({ opacity: 0.2 }));
    floor.position.z = this.flat ? back - 0.001 : -this.half.z - 0.021;
    floor.receiveShadow = true;
    return floor;
  }

  /** The sun stands upper left before a planar mechanism, high above one in space. */
  private aim(): void {
    this.sun.position.set(...(this.flat ? [-0.35, 0.75, 1.6] : [-0.8, -1.1, 1.8]) as [number, number, number]).multiplyScalar(1.6);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.0015;
    const camera = this.sun.shadow.camera, reach = 1.05 * Math.max(0.5, this.half.length());
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.1;
    camera.far = 8;
  }

  set shadows(on: boolean) {
    this.sun.castShadow = on;
    this.floor.visible = on;
  }

  set gridShown(on: boolean) { this.grid.visible = on; }

  paint(theme: "light" | "dark"): void {
    const t = THEMES[theme];
    this.world.background = new THREE.Color(t.sky);
    (this.grid.material as THREE.LineBasicMaterial).color.set(t.grid);
    this.sun.intensity = t.light;
    this.fill.intensity = t.fill;
    this.fill.groundColor.set(theme === "light" ? "#aab2bd" : "#3a4350");
    this.floor.material.opacity = t.shadow;
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void { this.renderer.render(this.world, this.camera); }

  // -- views --------------------------------------------------------------------------------------------------------

  /** Angles in degrees: azimuth from the front, to the right; elevation upward. */
  look(azimuth: number, elevation: number): void {
    const a = (azimuth * Math.PI) / 180, e = (Math.min(Math.max(elevation, -89.9), 89.9) * Math.PI) / 180;
    const aside = Math.sin(a) * Math.cos(e), before = Math.cos(a) * Math.cos(e), up = Math.sin(e);
    const direction = this.flat ? new THREE.Vector3(aside, up, before) : new THREE.Vector3(aside, -before, up);
    this.frame(direction);
  }

  view(name: ViewName): void {
    const wish = this.scene.view;
    const start: [number, number] = wish ?? (this.flat ? [-9, 11] : [-32, 22]);
    const angles: Record<ViewName, [number, number]> = { start, front: [0, 0], top: [0, 90], side: [90, 0], oblique: [-35, 28] };
    this.look(...angles[name]);
  }

  /** Everything in the picture, seen from where the camera is. */
  fit(): void { this.frame(this.camera.position.clone().sub(this.controls.target)); }

  private frame(direction: THREE.Vector3): void {
    const { half, camera } = this;
    direction.normalize();
    this.controls.target.set(0, 0, 0);
    camera.position.copy(direction).multiplyScalar(3);
    camera.lookAt(0, 0, 0);
    camera.updateMatrixWorld();
    // far enough for every corner of the box in both directions
    const tangent = Math.tan((FIELD * Math.PI) / 360), corner = new THREE.Vector3(), axes = [0, 1, 2].map(() => new THREE.Vector3());
    camera.matrixWorld.extractBasis(axes[0], axes[1], axes[2]);
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
      const [x, y, z] = axes.map((axis) => axis.dot(corner));
      distance = Math.max(distance, z + Math.abs(y) / tangent, z + Math.abs(x) / (tangent * camera.aspect));
    }
    camera.position.copy(direction).multiplyScalar(1.06 * distance);
    camera.near = distance / 100;
    camera.far = distance * 20;
    camera.updateProjectionMatrix();
    this.controls.update();
    this.onChange();
  }
}

/** 1, 2 or 5 times a power of ten, about as large as asked. */
export function niceStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size)), ratio = size / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}
