// Stock: everything rigid in the picture, as instances of shared shapes, so that a thousand equal parts are one draw call.

import * as THREE from "three";

export interface Item {
  label: string;
  colour: THREE.Color;
  place: (matrix: THREE.Matrix4) => void;
  still?: boolean;
}

export type Finish = "part" | "metal" | "ground";

export class Stock {
  readonly meshes: { mesh: THREE.InstancedMesh; items: Item[] }[] = [];
  private readonly groups = new Map<string, { make: () => THREE.BufferGeometry; finish: Finish; items: Item[] }>();
  private readonly matrix = new THREE.Matrix4();
  readonly materials: Record<Finish, THREE.MeshStandardMaterial> = {
    part: new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.05 }),
    metal: new THREE.MeshStandardMaterial({ roughness: 0.3, metalness: 0.1 }),
    ground: new THREE.MeshStandardMaterial({ roughness: 0.85, metalness: 0 }),
  };

  /** Items with the same key share a shape. */
  add(key: string, finish: Finish, make: () => THREE.BufferGeometry, item: Item): void {
    const full = `${finish} ${key}`;
    const group = this.groups.get(full) ?? { make, finish, items: [] };
    group.items.push(item);
    this.groups.set(full, group);
  }

  build(parent: THREE.Object3D, shadows: boolean): void {
    for (const { make, finish, items } of this.groups.values()) {
      const mesh = new THREE.InstancedMesh(make(), this.materials[finish], items.length);
      mesh.frustumCulled = false;
      mesh.castShadow = shadows;
      mesh.receiveShadow = shadows;
      items.forEach((item, i) => {
        item.place(this.matrix);
        mesh.setMatrixAt(i, this.matrix);
        mesh.setColorAt(i, item.colour);
      });
      parent.add(mesh);
      this.meshes.push({ mesh, items });
    }
  }

  update(): void {
    for (const { mesh, items } of this.meshes) {
      let moved = false;
      for (let i = 0; i < items.length; i++) {
        if (items[i].still) continue;
        items[i].place(this.matrix);
        mesh.setMatrixAt(i, this.matrix);
        moved = true;
      }
      if (moved) {
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null;
      }
    }
  }

  labels(): string[] { return this.meshes.flatMap(({ items }) => items.map((item) => item.label)); }

  /** The item under a ray and where it was hit. */
  pick(ray: THREE.Raycaster): { item: Item; distance: number } | null {
    let best: { item: Item; distance: number } | null = null;
    for (const { mesh, items } of this.meshes)
      for (const hit of ray.intersectObject(mesh, false))
        if (hit.instanceId !== undefined && items[hit.instanceId].label && (!best || hit.distance < best.distance))
          best = { item: items[hit.instanceId], distance: hit.distance };
    return best;
  }
}
