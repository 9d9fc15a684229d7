// What is drawn over a machine: hands with what they do, forces of joints to scale, the centre of mass, measures.
import type { HeldHand, Snapshot } from "../snapshot";
import type { Drawing } from "./drawing";
import { isOf, pointOf } from "./names";
import { nice, short } from "./pen";
import type { Port } from "./scene";
import { add, dot, mul, norm, sub, unit, type Vector } from "./vectors";

export type Measure = Port[];

export interface Over {
  forces: boolean;
  centre: boolean;
  chosen: string;
  measure: Measure;
  locked: string[];
  value: (channel: string) => number;
}

const GROUND = "ground";
const LONGEST = 90; // pixels, of an arrow
let newtons = 0; // of the longest arrow; kept, so that arrows do not jump from frame to frame

export function drawOver(d: Drawing, now: Snapshot, over: Over): void {
  drawPoints(d, over.chosen);
  if (over.forces) drawForces(d, over.value);
  drawLocks(d, over.locked);
  if (over.centre && now.centre.every(Number.isFinite)) drawCentre(d, now.centre);
  for (const hand of now.hands) drawHand(d, hand);
  if (over.measure.length) drawMeasure(d, over.measure);
}

function drawPoints(d: Drawing, chosen: string): void {
  d.pen.g.font = "12px system-ui, sans-serif";
  for (const point of d.scene.points ?? []) {
    if (!isOf(chosen, point.body < 0 ? GROUND : d.scene.bodies[point.body]!.name)) continue;
    const q = d.camera.px(d.port(point));
    const name = pointOf(point.name);
    d.pen.disc(q, point.name === chosen ? 6 : 3.5, d.pen.inks.hand, d.pen.inks.paper);
    d.pen.sign(name, add(q, [-8 - 7 * name.length, 14]), d.pen.inks.hand);
  }
}

function drawForces(d: Drawing, value: (channel: string) => number): void {
  const found: { at: Vector; f: Vector; size: number }[] = [];
  for (const j of d.scene.joints) {
    const f = (j.force ?? []).map(value);
    if (f.length && f.every(Number.isFinite)) found.push({ at: d.port(j.second), f, size: norm(f) });
  }
  const most = Math.max(0, ...found.map((one) => one.size));
  if (!(most > 0)) return;
  if (most > newtons || most < newtons / 8) newtons = nice(1.4 * most);
  const { pen, camera } = d;
  for (const { at, f, size } of found) {
    const o = camera.px(at);
    const e = camera.px(add(at, mul((camera.reach * 1e-3) / (size || 1), f)));
    const along = sub(e, o);
    const seen = norm(along) / (camera.reach * 1e-3 * camera.scale || 1); // what of it lies in the picture
    pen.arrow(o, add(o, mul((LONGEST * size * seen) / newtons, unit(along))), pen.inks.force, 2.4);
  }
  const step = nice(newtons / 3);
  const width = (LONGEST * step) / newtons;
  const q: Vector = [16, 22];
  pen.g.font = "12px system-ui, sans-serif";
  pen.arrow(q, add(q, [width, 0]), pen.inks.force, 2.4);
  pen.sign(`${short(step)} N, on the second body of a joint`, add(q, [width + 10, 0]), pen.inks.ink);
}

function drawCentre(d: Drawing, centre: Vector): void {
  const q = d.camera.px(centre);
  const { g, inks } = d.pen;
  d.pen.disc(q, 7, inks.paper, inks.ink, 1.4);
  for (const k of [0, 2]) {
    g.beginPath();
    g.moveTo(q[0]!, q[1]!);
    g.arc(q[0]!, q[1]!, 7, (k * Math.PI) / 2, ((k + 1) * Math.PI) / 2);
    g.fillStyle = inks.ink;
    g.fill();
  }
}

function drawHand(d: Drawing, hand: HeldHand): void {
  const { pen, camera } = d;
  const [a, b] = [camera.px(hand.at), camera.px(hand.target)];
  const { hand: colour, paper, ink } = pen.inks;
  if (hand.turns) {
    drawTurning(d, a);
    if (norm(hand.force) > 0) pen.sign(`${short(norm(hand.force), 3)} N m  ${short(hand.power, 3)} W`, add(a, [24, -18]), ink);
    return;
  }
  pen.stroke([a, b], colour, 2, [5, 4]);
  pen.disc(a, 5, colour, paper);
  pen.stroke([add(b, [-6, -6]), add(b, [6, 6])], colour, 2.4);
  pen.stroke([add(b, [-6, 6]), add(b, [6, -6])], colour, 2.4);
  const force = norm(hand.force);
  if (!(force > 0)) return;
  pen.g.font = "12px system-ui, sans-serif";
  pen.sign(`${short(force, 3)} N  ${short(hand.power, 3)} W`, add(b, [12, -14]), ink);
}

/** An arc with an arrow about what is turned. */
function drawTurning(d: Drawing, q: Vector): void {
  const { pen } = d;
  const arc: Vector[] = [...Array(25).keys()].map((k) => add(q, [20 * Math.cos(0.4 + k * 0.2), 20 * Math.sin(0.4 + k * 0.2)]));
  pen.disc(q, 5, pen.inks.hand, pen.inks.paper);
  pen.stroke(arc, pen.inks.hand, 2.4);
  pen.arrow(arc.at(-5)!, arc.at(-1)!, pen.inks.hand, 2.4);
}

/** A padlock on each body that is held. */
function drawLocks(d: Drawing, locked: string[]): void {
  const { pen, scene, camera } = d;
  scene.bodies.forEach((body, k) => {
    if (!locked.includes(body.name)) return;
    const q = camera.px(d.poses[k]!.p);
    const { g, inks } = pen;
    g.beginPath();
    g.arc(q[0]!, q[1]! - 3, 5, Math.PI, 2 * Math.PI);
    g.strokeStyle = inks.paper;
    g.lineWidth = 6;
    g.stroke();
    g.strokeStyle = inks.ink;
    g.lineWidth = 2.6;
    g.stroke();
    pen.polygon([add(q, [-8, -3]), add(q, [8, -3]), add(q, [8, 9]), add(q, [-8, 9])], inks.ink, inks.paper, 1.4);
  });
}

function drawMeasure(d: Drawing, ports: Measure): void {
  const { pen, camera } = d;
  const places = ports.map((p) => d.port(p));
  const q = places.map(camera.px);
  pen.g.font = "13px system-ui, sans-serif";
  pen.stroke(q, pen.inks.hand, 1.6, [3, 3]);
  for (const one of q) pen.disc(one, 4, pen.inks.hand, pen.inks.paper);
  const words: string[] = [];
  for (let k = 1; k < places.length; k++) words.push(`${short(norm(sub(places[k]!, places[k - 1]!)), 5)} m`);
  if (places.length === 3) {
    const [u, v] = [unit(sub(places[0]!, places[1]!)), unit(sub(places[2]!, places[1]!))];
    words.push(`${short((Math.acos(Math.min(1, Math.max(-1, dot(u, v)))) * 180) / Math.PI, 5)}°`);
  }
  if (words.length) pen.sign(words.join("   "), add(q[q.length - 1]!, [12, 16]), pen.inks.ink);
}
