// Symbols of joints.
import type { Drawing } from "./drawing";
import type { Joint } from "./scene";
import { add, dot, middle, mul, sub, unit, type Vector } from "./vectors";

export function drawJoint(d: Drawing, j: Joint, chosen: boolean): void {
  const { pen, camera, flat } = d;
  const { px } = camera;
  const { ink, paper, grey } = pen.inks;
  const a = d.port(j.first);
  const b = d.port(j.second);
  const q = px(b);
  const near = flat ? b : add(b, mul(0.02 * camera.reach, camera.toward));
  const pin = () => pen.disc(q, 4.8 * pen.shrink, paper, ink, 1.5 * pen.shrink);
  if (chosen) d.put(near, 8.9, () => pen.disc(q, 7 * pen.shrink + 3, pen.inks.hand));
  const slide = j.travel && j.symbol !== "disc" ? d.turn(j.first.body, (flat ? j.x_i : j.z_i)!) : null;
  if (slide) drawRail(d, j, a, slide);
  switch (j.symbol) {
    case "block": {
      if (j.solid || !slide) return;
      const colour = d.colourOf(j.second.body);
      if (flat) {
        const e = mul(18 * pen.shrink, camera.direction(slide));
        const n = mul(10 * pen.shrink, unit([-e[1]!, e[0]!]));
        const corners = [sub(sub(q, e), n), sub(add(q, e), n), add(add(q, e), n), add(sub(q, e), n)];
        d.put(b, 7, () => pen.polygon(corners, colour, ink, 1.3));
      } else {
        const e = mul(11, camera.direction(slide));
        d.put(near, 7, () => {
          pen.stroke([sub(q, e), add(q, e)], ink, 16);
          pen.stroke([sub(q, e), add(q, e)], colour, 13);
        });
      }
      return;
    }
    case "rod":
      d.put(middle([a, b]), 7, () => {
        pen.stroke([px(a), q], ink, 2.2);
        pen.disc(px(a), 4 * pen.shrink, paper, ink);
        pin();
      });
      return;
    case "square":
      d.put(near, 9, () => {
        pen.g.fillStyle = ink;
        pen.g.fillRect(q[0]! - 3.5, q[1]! - 3.5, 7, 7);
      });
      return;
    case "blade":
    case "tyre": {
      const e = mul(0.06 * camera.reach, d.turn(j.second.body, j.x_j!));
      d.put(near, 8, () => pen.stroke([px(sub(b, e)), px(add(b, e))], ink, j.symbol === "tyre" ? 6 : 3));
      return;
    }
    case "disc":
      if (flat && j.first.body < 0 && j.travel) drawFloor(d, j, a);
      d.put(near, 9, () => pen.disc(q, 3 * pen.shrink, paper, ink));
      return;
    case "pin":
    case "sleeve":
    case "cross":
      if (!flat) {
        const axes = [d.turn(j.first.body, j.z_i!)];
        if (j.symbol === "cross") axes.push(d.turn(j.second.body, j.z_j!));
        for (const z of axes) {
          const h = mul((j.symbol === "sleeve" ? 0.05 : 0.03) * camera.reach, z);
          d.put(near, 9, () => {
            const ends = [px(sub(b, h)), px(add(b, h))];
            pen.stroke(ends, ink, 9);
            pen.stroke(ends, paper, 6);
          });
        }
        return;
      }
  }
  if (["pin", "ball", "slot", "touch"].includes(j.symbol)) {
    d.put(near, 9, pin);
    return;
  }
  d.put(near, 8, () => {
    pen.stroke([px(a), q], grey, 1, [2, 3]);
    const s = 5.5;
    pen.polygon([add(q, [0, -s]), add(q, [s, 0]), add(q, [0, s]), add(q, [-s, 0])], paper, ink, 1.3);
  });
}

function drawRail(d: Drawing, j: Joint, a: Vector, slide: Vector): void {
  const { pen, camera, flat } = d;
  const over = Math.max(20 / camera.scale, 1.2 * (j.half ?? 0));
  const ends = [j.travel![0] - over, j.travel![1] + over].map((s) => add(a, mul(s, slide)));
  d.put(middle(ends), 3, () => {
    const [p, r] = ends.map(camera.px) as [Vector, Vector];
    if (!flat || j.first.body >= 0) {
      pen.stroke([p, r], j.first.body < 0 ? pen.inks.grey : pen.inks.ink, 1.4, [6, 4]);
      return;
    }
    let n = camera.direction([-slide[1]!, slide[0]!]);
    if (dot(n, camera.direction(j.over ?? d.scene.up)) < 0) n = mul(-1, n);
    const below = Math.max((j.symbol === "block" ? 11 : 6) * pen.shrink, (j.below ?? 0) * camera.scale + 1);
    pen.hatch(add(p, mul(-below, n)), add(r, mul(-below, n)), mul(-1, n));
  });
}

function drawFloor(d: Drawing, j: Joint, a: Vector): void {
  const e = j.x_i!;
  const ends = [j.travel![0] - j.radius!, j.travel![1] + j.radius!].map((s) => add(a, mul(s, e)));
  const up = j.y_i ?? [-e[1]!, e[0]!];
  d.put(a, 2, () => d.pen.hatch(d.camera.px(ends[0]!), d.camera.px(ends[1]!), mul(-1, d.camera.direction(up))));
}
