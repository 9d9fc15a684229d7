// Springs, dampers, ropes, bushings, stops and cylinders between two points.
import type { Drawing } from "./drawing";
import type { Link } from "./scene";
import { add, middle, mul, norm, sub, unit, type Vector } from "./vectors";

export function drawLink(d: Drawing, l: Link, slack: boolean, chosen: boolean): void {
  const { pen, camera } = d;
  const A = d.port(l.first);
  const B = d.port(l.second);
  d.put(middle([A, B]), 7.5, () => {
    const a = camera.px(A);
    const b = camera.px(B);
    const n = norm(sub(b, a));
    const k = pen.shrink;
    const { ink, plate, paper, spring, rope, hand } = pen.inks;
    if (chosen) pen.stroke([a, b], hand, 14 * k + 2);
    if (l.symbol === "rubber") {
      pen.disc(a, 8 * k, "#5b6470", ink);
      pen.disc(a, 4.5 * k, paper, ink);
      return;
    }
    if (n < 14 * k) return;
    const e = unit(sub(b, a));
    const c: Vector = [-e[1]!, e[0]!];
    const at = (s: number, w: number) => add(a, add(mul(s, e), mul(w, c)));
    const w = 7 * k;
    switch (l.symbol) {
      case "rope":
        pen.stroke([a, b], rope, 2, slack ? [4, 4] : []);
        return;
      case "cylinder": {
        const barrel = Math.min((0.65 * l.length * n) / norm(sub(B, A)), 0.9 * n);
        pen.stroke([a, b], ink, 4);
        pen.stroke([at(0, 0), at(barrel, 0)], ink, 13 * k);
        pen.stroke([at(0, 0), at(barrel, 0)], plate, 10.5 * k);
        return;
      }
      case "dashpot": {
        const m = n / 2;
        const cup = Math.min(0.3 * n, 30 * k);
        pen.stroke([at(0, 0), at(m - cup / 2, 0)], spring, 2);
        pen.stroke([at(m + cup / 2, w), at(m - cup / 2, w), at(m - cup / 2, -w), at(m + cup / 2, -w)], spring, 2);
        pen.stroke([at(m, 0.8 * w), at(m, -0.8 * w)], spring, 2);
        pen.stroke([at(m, 0), at(n, 0)], spring, 2);
        return;
      }
      case "gap":
        for (const [s, end] of [
          [n / 2 - w, 0],
          [n / 2 + w, n],
        ] as const) {
          pen.stroke([at(end, 0), at(s, 0)], spring, 2);
          pen.stroke([at(s, -w), at(s, w)], spring, 2);
        }
        return;
    }
    const coils = Math.max(3, Math.min(12, Math.round((l.length * camera.scale) / (14 * k))));
    const straight = Math.min(0.2 * n, 18 * k);
    const zig = [at(0, 0), at(straight, 0)];
    for (let i = 0; i < 2 * coils - 1; i++)
      zig.push(at(straight + ((n - 2 * straight) * (i + 1)) / (2 * coils), i % 2 ? -w : w));
    zig.push(at(n - straight, 0), at(n, 0));
    pen.stroke(zig, paper, 4);
    pen.stroke(zig, spring, 1.8);
  });
}
