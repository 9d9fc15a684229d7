// What lies under a pixel: a joint, a point of a body, or a body.
import type { Drawing } from "./drawing";
import { pointOf } from "./names";
import { middle, norm, sub, type Vector } from "./vectors";

export interface Hit {
  body: number; // that a hand would hold; -1: the ground
  point: string; // of that body, where one is near
  at: Vector | null; // of the point, in body axes
  place: Vector;
  name?: string; // of a joint or a link, which is what is chosen
}

export function hit(d: Drawing, q: Vector, near: number): Hit | null {
  const { scene, camera } = d;
  const away = (p: Vector) => norm(sub(camera.px(p), q));
  const joint = scene.joints
    .map((j) => ({ j, p: d.port(j.second) }))
    .filter(({ p }) => away(p) < near)
    .sort((a, b) => away(a.p) - away(b.p))[0];
  const points = (scene.points ?? [])
    .filter((point) => point.body >= 0)
    .map((point) => ({ point, p: d.port(point) }))
    .filter(({ p }) => away(p) < near)
    .sort((a, b) => away(a.p) - away(b.p));
  if (points.length) {
    const { point, p } = points[0]!;
    return { body: point.body, point: pointOf(point.name), at: point.at, place: p, name: joint?.j.name };
  }
  const body = bodyAt(d, q, near);
  if (body) return { ...body, point: "", at: null, name: joint?.j.name };
  if (joint) return { body: -1, point: "", at: null, place: joint.p, name: joint.j.name };
  for (const l of scene.links) {
    const [a, b] = [d.port(l.first), d.port(l.second)];
    if (fromLine(q, camera.px(a), camera.px(b)) < near) return { body: -1, point: "", at: null, place: middle([a, b]), name: l.name };
  }
  return null;
}

function bodyAt(d: Drawing, q: Vector, near: number): { body: number; place: Vector } | null {
  const { scene, camera } = d;
  let best: { body: number; depth: number } | null = null;
  scene.bodies.forEach((b, i) => {
    const px = (p: Vector) => camera.px(d.place(i, p));
    const touched =
      b.faces.find((f) => inside(q, f.map(px))) ??
      b.plates.find((f) => inside(q, f.map(px)) || f.some((p, k) => fromLine(q, px(p), px(f[(k + 1) % f.length]!)) < near)) ??
      [...b.bars, ...b.stems].find((f) => fromLine(q, px(f[0]!), px(f[1]!)) < near) ??
      b.dots.find((f) => norm(sub(px(f[0]!), q)) < near + 4);
    if (!touched) return;
    const depth = camera.depth(middle(touched.map((p) => d.place(i, p))));
    if (!best || depth >= best.depth) best = { body: i, depth };
  });
  if (!best) return null;
  const found = best as { body: number; depth: number };
  const middleOf = d.place(found.body, scene.bodies[found.body]!.dots[0]?.[0] ?? camera.centre.map(() => 0));
  return { body: found.body, place: camera.place(q, camera.flat ? undefined : middleOf) };
}

function fromLine(q: Vector, a: Vector, b: Vector): number {
  const d = sub(b, a);
  const n = d[0]! ** 2 + d[1]! ** 2;
  const s = n > 0 ? Math.min(1, Math.max(0, ((q[0]! - a[0]!) * d[0]! + (q[1]! - a[1]!) * d[1]!) / n)) : 0;
  return Math.hypot(q[0]! - a[0]! - s * d[0]!, q[1]! - a[1]! - s * d[1]!);
}

function inside(q: Vector, corners: Vector[]): boolean {
  let found = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
    const [a, b] = [corners[i]!, corners[j]!];
    if (a[1]! > q[1]! !== b[1]! > q[1]! && q[0]! < ((b[0]! - a[0]!) * (q[1]! - a[1]!)) / (b[1]! - a[1]!) + a[0]!) found = !found;
  }
  return found;
}
