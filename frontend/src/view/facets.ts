// Faces of a body in space: hundreds of small polygons in each frame, so nothing is allocated for their corners. From body
// axes to pixels it is one linear map a body; normals, middles and shades are found once.
import type { Camera } from "./camera";
import type { Item } from "./drawing";
import type { Pen } from "./pen";
import type { Pose } from "./scene";
import { cross, dot, middle, sub, unit, type Vector } from "./vectors";

const SHADES = 32;
const FEW = 10; // faces, up to which edges are drawn

interface Facet {
  corners: Float64Array; // x, y, z of each
  middle: Vector;
  normal: Vector;
}

export class Facets {
  private readonly facets: Facet[];
  private readonly shades: string[];

  constructor(faces: Vector[][], colour: string) {
    this.facets = faces.map((face) => ({
      corners: Float64Array.from(face.flat()),
      middle: middle(face),
      normal: unit(cross(sub(face[1]!, face[0]!), sub(face[2]!, face[1]!))),
    }));
    this.shades = [...Array(SHADES + 1).keys()].map((k) => shade(colour, 0.72 + (0.36 * k) / SHADES));
  }

  /** All of them, to be drawn in their turn. */
  put(pose: Pose, camera: Camera, light: Vector, pen: Pen, items: Item[]): void {
    if (!this.facets.length) return;
    const { R } = pose;
    const from = sub(pose.p, camera.centre);
    const seen = (d: Vector, size: number): Vector => [0, 1, 2].map((k) => size * R.reduce((s, row, i) => s + row[k]! * d[i]!, 0));
    const [a, b] = [seen(camera.right, camera.scale), seen(camera.high, -camera.scale)];
    const [c, l] = [seen(camera.toward, 1), seen(light, 1)];
    const x = camera.width / 2 + camera.x + camera.scale * dot(from, camera.right);
    const y = camera.height / 2 + camera.y - camera.scale * dot(from, camera.high);
    const z = dot(from, camera.toward);
    const [a0, a1, a2] = a as [number, number, number];
    const [b0, b1, b2] = b as [number, number, number];
    const edged = this.facets.length < FEW;
    const { g, inks } = pen;
    for (const { corners, middle: m, normal } of this.facets) {
      const colour = this.shades[Math.round(SHADES * Math.min(1, Math.abs(dot(normal, l))))]!;
      const draw = () => {
        g.beginPath();
        for (let k = 0; k < corners.length; k += 3) {
          const [u, v, w] = [corners[k]!, corners[k + 1]!, corners[k + 2]!];
          g.lineTo(x + a0 * u + a1 * v + a2 * w, y + b0 * u + b1 * v + b2 * w);
        }
        g.closePath();
        g.fillStyle = colour;
        g.fill();
        g.strokeStyle = edged ? inks.ink : colour;
        g.lineWidth = 0.8;
        g.stroke();
      };
      items.push({ depth: z + dot(c, m), layer: 5, draw });
    }
  }
}

function shade(colour: string, light: number): string {
  const c = [1, 3, 5].map((k) => Math.min(255, Math.round(parseInt(colour.slice(k, k + 2), 16) * light)));
  return `rgb(${c[0]},${c[1]},${c[2]})`;
}
