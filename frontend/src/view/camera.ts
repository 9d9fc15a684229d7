// From metres to pixels. In space the picture is parallel: sizes are the same near and far.
import type { Scene } from "./scene";
import { add, cross, dot, mul, norm, sub, unit, type Vector } from "./vectors";

const PAD = 58; // pixels around what fits
const PITCH = 0.35; // rad, at first

export class Camera {
  readonly flat: boolean;
  readonly centre: Vector;
  readonly extent: Vector;
  readonly reach: number;
  readonly up: Vector;
  readonly side: Vector;
  readonly ahead: Vector;
  zoom = 1;
  x = 0;
  y = 0;
  yaw = 0;
  pitch = PITCH;
  width = 0;
  height = 0;
  scale = 1; // pixels in a metre
  right: Vector = [1, 0, 0];
  high: Vector = [0, 1, 0];
  toward: Vector = [0, 0, 1]; // the eye

  constructor(readonly scene: Scene) {
    this.flat = scene.dim === 2;
    this.centre = mul(0.5, add(scene.low, scene.high));
    this.extent = sub(scene.high, scene.low);
    this.reach = Math.max(...this.extent, 1e-9);
    this.up = this.flat ? [0, 1] : unit(scene.up);
    this.side = this.flat ? [1, 0] : unit(cross(this.up, Math.abs(this.up[0]!) < 0.7 ? [1, 0, 0] : [0, 1, 0]));
    this.ahead = this.flat ? [0, 1] : cross(this.up, this.side);
    this.home();
  }

  /** Everything in view. */
  home(): void {
    this.zoom = 1;
    this.x = this.y = 0;
    this.yaw = this.broadSide();
    this.pitch = PITCH;
  }

  /** Look at the broad side, a little from the left. */
  private broadSide(): number {
    if (this.flat) return 0;
    const [a, b] = [this.side, this.ahead].map((d) => Math.abs(dot(d.map(Math.abs), this.extent)));
    return a! >= b! ? 0.5 : 0.5 - Math.PI / 2;
  }

  aim(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const pad = Math.min(PAD, 0.12 * Math.min(width, height));
    const w = Math.max(width - 2 * pad, 50);
    const h = Math.max(height - 2 * pad, 50);
    if (this.flat) {
      this.scale = Math.min(w / (this.extent[0]! || 1e-9), h / (this.extent[1]! || 1e-9)) * this.zoom;
      return;
    }
    this.turn(this.broadSide(), PITCH); // what fits at first sets the scale, so that turning does not change sizes
    const corners = [...Array(8).keys()].map((k) =>
      sub(
        [0, 1, 2].map((i) => ((k >> i) & 1 ? this.scene.high : this.scene.low)[i]!),
        this.centre,
      ),
    );
    const half = (d: Vector) => Math.max(...corners.map((p) => Math.abs(dot(p, d)))) || 1e-9;
    this.scale = (Math.min(w / half(this.right), h / half(this.high)) / 2) * this.zoom;
    this.turn(this.yaw, this.pitch);
  }

  private turn(yaw: number, pitch: number): void {
    const [c, s, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    this.right = add(mul(c, this.side), mul(s, this.ahead));
    const back = add(mul(s, this.side), mul(-c, this.ahead)); // horizontal, towards the eye
    this.toward = add(mul(cp, back), mul(sp, this.up));
    this.high = cross(this.toward, this.right);
  }

  /** Pixels of a place. */
  px = (p: Vector): Vector => {
    const d = sub(p, this.centre);
    const x = this.flat ? d[0]! : dot(d, this.right);
    const y = this.flat ? d[1]! : dot(d, this.high);
    return [this.width / 2 + this.x + this.scale * x, this.height / 2 + this.y - this.scale * y];
  };

  /** The place under a pixel; in space in the plane of the picture through another place. */
  place(q: Vector, through?: Vector): Vector {
    const dx = (q[0]! - this.width / 2 - this.x) / this.scale;
    const dy = -(q[1]! - this.height / 2 - this.y) / this.scale;
    if (this.flat) return [this.centre[0]! + dx, this.centre[1]! + dy];
    const depth = through ? this.depth(through) : 0;
    return add(this.centre, add(add(mul(dx, this.right), mul(dy, this.high)), mul(depth, this.toward)));
  }

  depth = (p: Vector): number => (this.flat ? 0 : dot(sub(p, this.centre), this.toward));

  /** A direction in the picture, of length one. */
  direction(d: Vector): Vector {
    const o = this.px(this.centre);
    const e = this.px(add(this.centre, mul(this.reach, d)));
    return unit(sub(e, o));
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
  }

  orbit(dx: number, dy: number): void {
    this.yaw -= 0.008 * dx;
    this.pitch = Math.min(1.57, Math.max(-1.57, this.pitch + 0.008 * dy));
  }

  /** By a factor, about a pixel that stays. */
  zoomAt(factor: number, q: Vector): void {
    const f = Math.min(1e4, Math.max(1e-3, this.zoom * factor)) / this.zoom;
    const x = q[0]! - this.width / 2;
    const y = q[1]! - this.height / 2;
    this.x = x - f * (x - this.x);
    this.y = y - f * (y - this.y);
    this.zoom *= f;
  }

  /** As another one looked, on a machine that changed. */
  like(other: Camera): void {
    if (other.flat !== this.flat) return;
    const here = other.place([other.width / 2, other.height / 2]);
    this.yaw = other.yaw;
    this.pitch = other.pitch;
    this.aim(other.width, other.height);
    this.zoom *= other.scale / (this.scale || 1);
    this.aim(other.width, other.height);
    const q = this.px(here);
    this.x += other.width / 2 - q[0]!;
    this.y += other.height / 2 - q[1]!;
  }

  /** Pixels of a typical link against those of a large one: symbols shrink where links are short. */
  shrink(typical: number): number {
    return Math.min(1, Math.max(0.3, (typical * this.scale) / 70));
  }

  apart = (a: Vector, b: Vector): number => norm(sub(a, b));
}
