// A mechanism on a canvas, in the plane and in space, with the symbols that engineers draw. Things are put in order from
// back to front; where a machine is, is somebody else's business.
import type { Camera } from "./camera";
import { drawJoint } from "./joints";
import { drawLink } from "./links";
import { Facets } from "./facets";
import { nice, short, type Pen } from "./pen";
import type { Body, Circle, GroundPoint, Port, Pose, Scene } from "./scene";
import { add, dot, middle, mul, norm, sub, unit, type Vector } from "./vectors";

export interface Track {
  points: Vector[];
  colour: string;
  faint?: boolean;
}

export interface Item {
  depth: number;
  layer: number;
  draw: () => void;
}

export interface Wanted {
  names?: boolean;
  legend?: boolean;
  tracks?: Track[];
  slack?: (link: number) => boolean;
  off?: (name: string) => boolean; // switched off: drawn pale
  chosen?: (name: string) => boolean;
}

export class Drawing {
  readonly typical: number;
  poses: Pose[] = [];
  private items: Item[] = [];
  private readonly light: Vector;
  private readonly facets: Facets[];

  constructor(
    readonly scene: Scene,
    readonly camera: Camera,
    readonly pen: Pen,
  ) {
    const size = (b: Body) =>
      Math.max(0, ...[...b.bars, ...b.plates, ...b.faces].map((p) => Math.max(...p.map((q) => norm(sub(q, p[0]!))))));
    const lengths = scene.bodies.map(size).filter((l) => l > 0);
    lengths.sort((a, b) => a - b);
    this.typical = lengths.length ? lengths[lengths.length >> 1]! : camera.reach / 3;
    this.facets = camera.flat ? [] : scene.bodies.map((b) => new Facets(b.faces, b.colour));
    this.light = camera.flat ? [0, 1] : unit(add(add(mul(1.6, camera.up), mul(-0.7, camera.ahead)), mul(0.5, camera.side)));
  }

  get flat(): boolean {
    return this.camera.flat;
  }

  turn = (body: number, v: Vector): Vector => (body < 0 ? v : this.poses[body]!.R.map((row) => dot(row, v)));
  place = (body: number, at: Vector): Vector => (body < 0 ? at : add(this.poses[body]!.p, this.turn(body, at)));
  port = (q: Port): Vector => this.place(q.body, q.at);
  colourOf = (body: number): string => (body < 0 ? this.pen.inks.grey : this.scene.bodies[body]!.colour);

  /** A place in body axes. */
  local(body: number, p: Vector): Vector {
    const pose = this.poses[body]!;
    const d = sub(p, pose.p);
    return d.map((_, k) => pose.R.reduce((s, row, i) => s + row[k]! * d[i]!, 0));
  }

  put(p: Vector, layer: number, draw: () => void): void {
    this.items.push({ depth: this.camera.depth(p), layer, draw });
  }

  draw(poses: Pose[], wanted: Wanted): void {
    const { pen, scene, camera } = this;
    this.poses = poses;
    pen.shrink = camera.shrink(this.typical);
    pen.g.lineCap = pen.g.lineJoin = "round";
    this.drawGrid();
    for (const track of wanted.tracks ?? []) {
      pen.g.globalAlpha = track.faint ? 0.35 : 1;
      if (track.points.length > 1) pen.stroke(track.points.map(camera.px), track.colour, 1.7);
      pen.g.globalAlpha = 1;
    }
    this.items = [];
    scene.ground.forEach((p) => this.drawGround(p));
    scene.bodies.forEach((b, i) => this.drawBody(b, i, wanted.chosen?.(b.name) ?? false));
    scene.circles.forEach((c) => this.drawCircle(c));
    const pale = (name: string, put: () => void) => (wanted.off?.(name) ? this.paler(put) : put());
    scene.links.forEach((l, i) =>
      pale(l.name, () => drawLink(this, l, wanted.slack?.(i) ?? false, wanted.chosen?.(l.name) ?? false)),
    );
    scene.joints.forEach((j) => pale(j.name, () => drawJoint(this, j, wanted.chosen?.(j.name) ?? false)));
    this.items.sort((a, b) => (this.flat ? a.layer - b.layer : a.depth - b.depth || a.layer - b.layer));
    for (const item of this.items) item.draw();
    if (wanted.names) this.drawNames();
    if (wanted.legend) this.drawLegend();
  }

  /** What is put meanwhile is drawn pale. */
  private paler(put: () => void): void {
    const before = this.items.length;
    put();
    for (const item of this.items.slice(before)) {
      const whole = item.draw;
      item.draw = () => {
        this.pen.g.globalAlpha = 0.25;
        whole();
        this.pen.g.globalAlpha = 1;
      };
    }
  }

  private drawBody(b: Body, i: number, chosen: boolean): void {
    const { pen, camera } = this;
    const { px } = camera;
    const at = (list: Vector[]) => list.map((p) => this.place(i, p));
    const ink = pen.inks.ink;
    const glow = (points: Vector[], closed: boolean, width: number) => {
      if (!chosen) return;
      pen.path(points, closed);
      pen.g.strokeStyle = pen.inks.hand;
      pen.g.lineWidth = width;
      pen.g.stroke();
    };
    for (const stem of b.stems) {
      const q = at(stem);
      this.put(middle(q), 4, () => pen.ribbon(q.map(px), b.colour, 2 * pen.shrink));
    }
    if (this.flat) for (const face of b.faces) this.drawFace(b, at(face), glow);
    else {
      if (chosen) for (const face of b.faces) this.put(middle(at(face)), 4.9, () => glow(at(face).map(px), true, 4));
      this.facets[i]!.put(this.poses[i]!, camera, this.light, pen, this.items);
    }
    for (const spoke of b.spokes) {
      const q = at(spoke);
      const near = this.flat ? middle(q) : add(middle(q), mul(0.01 * camera.reach, camera.toward));
      this.put(near, 5.1, () => pen.stroke(q.map(px), ink, 1.2));
    }
    for (const bar of b.bars) {
      const q = at(bar);
      this.put(middle(q), 5, () => {
        glow(q.map(px), false, 8 * pen.shrink + 8);
        pen.ribbon(q.map(px), b.colour, 8 * pen.shrink);
      });
    }
    for (const plate of b.plates) {
      const q = at(plate);
      this.put(middle(q), 5, () => {
        glow(q.map(px), true, 10 * pen.shrink + 6);
        pen.path(q.map(px), true);
        pen.g.strokeStyle = ink;
        pen.g.lineWidth = (this.flat ? 10 : 1.6) * pen.shrink;
        pen.g.stroke();
        pen.g.fillStyle = b.colour;
        pen.g.fill();
        if (!this.flat) return;
        pen.g.strokeStyle = b.colour;
        pen.g.lineWidth = 8 * pen.shrink;
        pen.g.stroke();
      });
    }
    if (b.lone) this.drawAxes(i);
    for (const spot of b.dots) {
      const q = this.place(i, spot[0]!);
      this.put(q, 5, () => {
        if (chosen) pen.disc(px(q), 6 * pen.shrink + 4, pen.inks.hand);
        pen.disc(px(q), 6 * pen.shrink, b.colour, ink);
      });
    }
  }

  /** In the plane. */
  private drawFace(b: Body, q: Vector[], glow: (points: Vector[], closed: boolean, width: number) => void): void {
    const { pen, camera } = this;
    const { px } = camera;
    this.put(q[0]!, 5, () => {
      glow(q.map(px), true, 7);
      pen.g.globalAlpha = 0.85;
      pen.path(q.map(px), true);
      pen.g.fillStyle = b.colour;
      pen.g.fill();
      pen.g.globalAlpha = 1;
      pen.g.strokeStyle = pen.inks.ink;
      pen.g.lineWidth = 1.2;
      pen.g.stroke();
    });
  }

  /** Nothing but its axes shows how such a body turns. */
  private drawAxes(body: number): void {
    for (let k = 0; k < 3; k++) {
      const e = [0, 0, 0];
      e[k] = 0.14 * this.camera.reach;
      const ends = [this.place(body, [0, 0, 0]), this.place(body, e)];
      this.put(middle(ends), 5, () => this.pen.stroke(ends.map(this.camera.px), AXES[k]!, 3));
    }
  }

  private drawCircle(c: Circle): void {
    if (c.body >= 0 && this.scene.bodies[c.body]!.faces.length) return;
    const { pen, camera } = this;
    const o = this.place(c.body, c.centre);
    const u = this.turn(c.body, c.u);
    const v = this.turn(c.body, c.v);
    const ring: Vector[] = [];
    for (let k = 0; k <= 72; k++) {
      const a = (2 * Math.PI * k) / 72;
      ring.push(add(o, add(mul(Math.cos(a), u), mul(Math.sin(a), v))));
    }
    this.put(o, 5.2, () => {
      if (!this.flat) {
        pen.path(ring.map(camera.px), true);
        pen.g.globalAlpha = 0.5;
        pen.g.fillStyle = c.colour;
        pen.g.fill();
        pen.g.globalAlpha = 1;
      }
      pen.stroke(ring.map(camera.px), c.colour, 2.2);
      if (c.body >= 0) pen.stroke([camera.px(o), camera.px(add(o, u))], c.colour, 1.5);
    });
  }

  private drawGround(p: GroundPoint): void {
    const { pen, camera } = this;
    const { px } = camera;
    const q = px(p.at);
    const size = 17 * pen.shrink;
    const { ink, grey, plate, paper } = pen.inks;
    if (p.symbol === "plate") {
      const s = 0.05 * camera.reach;
      const foot = sub(p.at, mul(0.8 * s, camera.up));
      const corner = (x: number, y: number) => px(add(foot, add(mul(s * x, camera.side), mul(s * y, camera.ahead))));
      this.put(foot, 1, () => {
        pen.polygon([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], plate, grey, 1);
        for (let c = -0.75; c < 0.8; c += 0.25) pen.stroke([corner(c, -0.95), corner(c, 0.95)], grey, 0.6);
        pen.stroke([px(foot), q], ink, 1.6);
      });
      return;
    }
    this.put(p.at, p.over ? 6.4 : 2, () => {
      if (p.symbol === "cross") {
        pen.stroke([add(q, [-5, 0]), add(q, [5, 0])], grey, 1.2);
        pen.stroke([add(q, [0, -5]), add(q, [0, 5])], grey, 1.2);
        return;
      }
      const u = camera.direction(p.up ?? camera.up);
      const c: Vector = [-u[1]!, u[0]!];
      if (p.symbol === "anchor") {
        pen.hatch(sub(q, mul(0.8 * size, c)), add(q, mul(0.8 * size, c)), mul(-1, u));
        return;
      }
      const foot = sub(q, mul(size, u));
      pen.polygon([q, add(foot, mul(0.6 * size, c)), sub(foot, mul(0.6 * size, c))], paper, ink, 1.3);
      pen.hatch(sub(foot, mul(size, c)), add(foot, mul(size, c)), mul(-1, u));
    });
  }

  private drawGrid(): void {
    const { pen, camera } = this;
    const { width, height, scale, reach } = camera;
    const { pale, grey, ink } = pen.inks;
    pen.g.font = "11px system-ui, sans-serif";
    if (this.flat) {
      const step = nice(75 / scale);
      const o = camera.px([0, 0]);
      for (let k = Math.ceil(-o[0]! / scale / step); k * step <= (width - o[0]!) / scale; k++) {
        const x = o[0]! + k * step * scale;
        pen.stroke([[x, 0], [x, height]], pale, 1);
        if (x < width - 46) pen.label(short(k * step), [x + 3, height - 4], "left", "bottom", grey);
      }
      for (let k = Math.ceil((o[1]! - height) / scale / step); k * step <= o[1]! / scale; k++) {
        const y = o[1]! - k * step * scale;
        pen.stroke([[0, y], [width, y]], pale, 1);
        if (y < height - 20) pen.label(short(k * step), [4, y - 2], "left", "bottom", grey);
      }
      pen.label("m", [width - 6, height - 4], "right", "bottom", grey);
      return;
    }
    const { low, high } = this.scene;
    const floor = Math.min(dot(low, camera.up), dot(high, camera.up)) - 0.06 * reach;
    const step = nice(reach / 6);
    const span = (d: Vector) => {
      const [a, b] = [dot(low, d), dot(high, d)];
      return [Math.floor(Math.min(a, b) / step - 0.5), Math.ceil(Math.max(a, b) / step + 0.5)] as const;
    };
    const at = (x: number, y: number) =>
      add(add(mul(x * step, camera.side), mul(y * step, camera.ahead)), mul(floor, camera.up));
    const [x0, x1] = span(camera.side);
    const [y0, y1] = span(camera.ahead);
    const line = (a: Vector, b: Vector) => pen.stroke([camera.px(a), camera.px(b)], pale, 1);
    for (let x = x0; x <= x1; x++) line(at(x, y0), at(x, y1));
    for (let y = y0; y <= y1; y++) line(at(x0, y), at(x1, y));
    const o: Vector = [46, height - 46];
    ["x", "y", "z"].forEach((name, k) => {
      const e = [0, 0, 0];
      e[k] = 1;
      const d: Vector = [dot(e, camera.right) * 30, -dot(e, camera.high) * 30];
      pen.stroke([o, add(o, d)], AXES[k]!, 2);
      pen.label(name, add(o, mul(1.3, d)), "center", "middle", ink);
    });
    pen.label(`grid ${short(step)} m`, [90, height - 10], "left", "bottom", grey);
  }

  private drawLegend(): void {
    const { bodies, named } = this.scene;
    if (!named.bodies || bodies.length < 2) return;
    const { pen, camera } = this;
    pen.g.font = "13px system-ui, sans-serif";
    const wide = Math.max(...bodies.map((b) => pen.g.measureText(b.name).width));
    bodies.forEach((b, i) => {
      const x = camera.width - wide - 16;
      const y = 16 + 20 * i;
      pen.stroke([[x - 26, y], [x - 8, y]], b.colour, 6);
      pen.sign(b.name, [x, y], pen.inks.ink);
    });
  }

  private drawNames(): void {
    const { pen, camera } = this;
    pen.g.font = "12px system-ui, sans-serif";
    const taken = new Map<string, { q: Vector; names: string[] }>();
    for (const j of this.scene.joints) {
      const q = camera.px(this.port(j.second));
      const key = q.map((x) => Math.round(x / 3)).join();
      const found = taken.get(key) ?? { q, names: [] };
      found.names.push(j.name);
      taken.set(key, found);
    }
    for (const { q, names } of taken.values()) pen.sign(names.join(", "), add(q, [10, -14]), pen.inks.ink);
  }
}

export const AXES = ["#d64550", "#3f9142", "#4c78a8"];
