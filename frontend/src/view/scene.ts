// What is drawn, as Python describes it (plotting/page.py, studio/shown_parts.py). Lengths in metres, vectors in body axes;
// body -1 is the ground.
import type { Vector } from "./vectors";

export interface Port {
  body: number;
  at: Vector;
}

export interface Body {
  name: string;
  colour: string;
  lone: boolean;
  faces: Vector[][];
  spokes: Vector[][];
  bars: Vector[][];
  plates: Vector[][];
  stems: Vector[][];
  dots: Vector[][];
}

export interface Joint {
  name: string;
  symbol: string;
  first: Port;
  second: Port;
  solid: boolean;
  travel?: [number, number];
  below?: number;
  over?: Vector;
  half?: number;
  radius?: number;
  x_i?: Vector;
  y_i?: Vector;
  z_i?: Vector;
  x_j?: Vector;
  z_j?: Vector;
  words?: string;
  force?: string[];
}

export interface Link {
  name: string;
  symbol: string;
  first: Port;
  second: Port;
  length: number;
  stretch?: string;
}

export interface Circle {
  body: number;
  colour: string;
  centre: Vector;
  u: Vector;
  v: Vector;
}

export interface GroundPoint {
  at: Vector;
  symbol: string;
  up?: Vector;
  over?: boolean;
}

export interface Scene {
  name: string;
  dim: 2 | 3;
  up: Vector;
  low: Vector;
  high: Vector;
  named: { bodies: boolean; joints: boolean };
  bodies: Body[];
  joints: Joint[];
  links: Link[];
  circles: Circle[];
  ground: GroundPoint[];
  traces: (Port & { colour: string })[];
  points?: (Port & { name: string })[];
}

export interface Pose {
  p: Vector;
  R: Vector[];
}
