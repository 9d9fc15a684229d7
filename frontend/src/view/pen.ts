// Strokes and shapes on a canvas, in pixels, and the colours of the day and of the night.
import { add, mul, norm, sub, unit, type Vector } from "./vectors";

export interface Inks {
  ink: string;
  grey: string;
  pale: string;
  paper: string;
  plate: string;
  spring: string;
  rope: string;
  force: string;
  hand: string;
  veil: string;
}

export const DAY: Inks = {
  ink: "#2b2f36",
  grey: "#6b717b",
  pale: "#e6e8eb",
  paper: "#ffffff",
  plate: "#eceef1",
  spring: "#1d7a70",
  rope: "#8d6e63",
  force: "#b3261e",
  hand: "#7a3fb5",
  veil: "rgba(255,255,255,0.8)",
};
export const NIGHT: Inks = {
  ink: "#d7dbe2",
  grey: "#98a0ac",
  pale: "#2b303a",
  paper: "#14171c",
  plate: "#262b33",
  spring: "#5fd0c0",
  rope: "#c9a493",
  force: "#ff8a80",
  hand: "#c9a2ff",
  veil: "rgba(20,23,28,0.8)",
};

export class Pen {
  shrink = 1;
  constructor(
    readonly g: CanvasRenderingContext2D,
    public inks: Inks,
  ) {}

  path(points: Vector[], closed = false): void {
    this.g.beginPath();
    points.forEach((q, i) => (i ? this.g.lineTo(q[0]!, q[1]!) : this.g.moveTo(q[0]!, q[1]!)));
    if (closed) this.g.closePath();
  }

  stroke(points: Vector[], colour: string, width: number, dash: number[] = []): void {
    this.path(points);
    this.g.strokeStyle = colour;
    this.g.lineWidth = width;
    this.g.setLineDash(dash);
    this.g.stroke();
    if (dash.length) this.g.setLineDash([]);
  }

  ribbon(points: Vector[], colour: string, width: number): void {
    this.stroke(points, this.inks.ink, width + 2 * this.shrink);
    this.stroke(points, colour, width);
  }

  polygon(points: Vector[], fill: string, edge: string, width: number): void {
    this.path(points, true);
    this.g.fillStyle = fill;
    this.g.fill();
    this.g.strokeStyle = edge;
    this.g.lineWidth = width;
    this.g.stroke();
  }

  disc(q: Vector, radius: number, fill: string, edge = "", width = 1.3): void {
    this.g.beginPath();
    this.g.arc(q[0]!, q[1]!, radius, 0, 2 * Math.PI);
    this.g.fillStyle = fill;
    this.g.fill();
    if (!edge) return;
    this.g.strokeStyle = edge;
    this.g.lineWidth = width;
    this.g.stroke();
  }

  /** A line with strokes on the side `away`. */
  hatch(a: Vector, b: Vector, away: Vector): void {
    const n = norm(sub(b, a));
    const e = unit(sub(b, a));
    const count = Math.max(2, Math.min(400, Math.floor(n / (6 * this.shrink))));
    this.stroke([a, b], this.inks.ink, 1.4 * this.shrink);
    for (let i = 0; i < count; i++) {
      const f = add(a, mul(((i + 0.5) / count) * n, e));
      this.stroke([f, add(f, mul(6 * this.shrink, sub(away, e)))], this.inks.grey, this.shrink);
    }
  }

  arrow(from: Vector, to: Vector, colour: string, width: number): void {
    const n = norm(sub(to, from));
    if (!(n > 3)) return;
    const e = unit(sub(to, from));
    const c: Vector = [-e[1]!, e[0]!];
    const head = Math.min(10, 0.6 * n);
    const neck = sub(to, mul(0.8 * head, e));
    this.stroke([from, neck], colour, width);
    this.path([to, add(sub(to, mul(head, e)), mul(0.4 * head, c)), sub(sub(to, mul(head, e)), mul(0.4 * head, c))], true);
    this.g.fillStyle = colour;
    this.g.fill();
  }

  label(text: string, q: Vector, align: CanvasTextAlign, baseline: CanvasTextBaseline, colour: string): void {
    this.g.fillStyle = colour;
    this.g.textAlign = align;
    this.g.textBaseline = baseline;
    this.g.fillText(text, q[0]!, q[1]!);
  }

  /** A label on a veil, so that it is read over lines. */
  sign(text: string, q: Vector, colour: string): void {
    const w = this.g.measureText(text).width;
    this.g.fillStyle = this.inks.veil;
    this.g.fillRect(q[0]! - 3, q[1]! - 8, w + 6, 16);
    this.label(text, q, "left", "middle", colour);
  }
}

/** A round number near to another one: 1, 2 or 5 times a power of ten. */
export function nice(x: number): number {
  const p = 10 ** Math.floor(Math.log10(x));
  const f = x / p;
  return (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * p;
}

export const short = (x: number, digits = 6): string => String(+x.toPrecision(digits));
