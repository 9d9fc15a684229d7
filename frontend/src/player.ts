// A run as a page that needs nothing else: its data are in the page, and time goes on here.
import { Camera } from "./view/camera";
import { Drawing, type Track } from "./view/drawing";
import { DAY, Pen, short } from "./view/pen";
import type { Body, Link, Pose, Scene } from "./view/scene";
import { add, dot, matrix, mul, sub, type Vector } from "./view/vectors";

interface Film extends Omit<Scene, "bodies" | "links"> {
  start: number;
  step: number;
  frames: number;
  speed: number;
  switches: [number, string[]][]; // from when on which parts are off
  jumps: boolean; // only frames are known, nothing between them
  bodies: (Body & { position: Vector[]; attitude: Vector[] })[];
  links: (Link & { slack?: number[] })[];
}

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const film = JSON.parse($("data").textContent ?? "") as Film;
const canvas = $<HTMLCanvasElement>("canvas");
const pen = new Pen(canvas.getContext("2d")!, DAY);
const camera = new Camera(film);
const drawing = new Drawing(film, camera, pen);
const duration = film.step * (film.frames - 1);
const digits = Math.min(9, Math.max(2, Math.ceil(-Math.log10(duration / 200 || 1))));
let now = 0;
let playing = true;
let last = 0;
let rate = film.speed;

/** Slopes at frames, a frame as unit of time: of the curve through five, at the ends through three. */
function slopesOf(f: Vector[]): Vector[] {
  const n = f.length;
  const last = n - 1;
  if (n < 3) return f.map(() => sub(f[last]!, f[0]!));
  const end = (a: Vector, b: Vector, c: Vector) => a.map((x, i) => (-3 * x + 4 * b[i]! - c[i]!) / 2);
  return f.map((_, k) => {
    if (k === 0) return end(f[0]!, f[1]!, f[2]!);
    if (k === last) return mul(-1, end(f[n - 1]!, f[n - 2]!, f[n - 3]!));
    const near = sub(f[k + 1]!, f[k - 1]!);
    if (k < 2 || k > n - 3) return mul(0.5, near);
    const far = sub(f[k + 2]!, f[k - 2]!);
    return near.map((x, i) => (8 * x - far[i]!) / 12);
  });
}

const slopes = film.bodies.map((b) => ({ position: slopesOf(b.position), attitude: slopesOf(b.attitude) }));

function cubic(f: Vector[], slope: Vector[], k: number, j: number, s: number): Vector {
  const bend = s * (1 - s);
  return f[k]!.map((low, i) => {
    const rise = f[j]![i]! - low;
    return low + s * rise + bend * ((1 - s) * (slope[k]![i]! - rise) + s * (rise - slope[j]![i]!));
  });
}

/** The pose of a body so many frames after the first. */
function poseAt(body: number, at: number): Pose {
  const b = film.bodies[body]!;
  const frames = film.jumps ? Math.round(at) : at;
  const k = Math.min(Math.max(Math.floor(frames), 0), film.frames - 1);
  const j = Math.min(k + 1, film.frames - 1);
  const s = Math.min(Math.max(frames - k, 0), 1);
  return {
    p: cubic(b.position, slopes[body]!.position, k, j, s),
    R: matrix(cubic(b.attitude, slopes[body]!.attitude, k, j, s)),
  };
}

function posesAt(time: number): Pose[] {
  const at = Math.min(Math.max(time / (film.step || 1), 0), film.frames - 1);
  return film.bodies.map((_, body) => poseAt(body, at));
}

function offAt(t: number): (name: string) => boolean {
  let names: string[] = [];
  for (const [from, off] of film.switches) if (from <= t) names = off;
  return (name) => names.includes(name);
}

// Paths are the same at all times: made once, with places between frames where frames are few.
const fine = film.jumps ? 1 : Math.max(1, Math.min(6, Math.floor(20_000 / film.frames)));
const paths: Track[] = film.traces.map((trace) => {
  const points: Vector[] = [];
  for (let k = 0; k <= (film.frames - 1) * fine; k++) {
    const pose = trace.body < 0 ? null : poseAt(trace.body, k / fine);
    points.push(pose ? add(pose.p, pose.R.map((row) => dot(row, trace.at))) : trace.at);
  }
  return { points, colour: trace.colour };
});

function draw(): void {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  pen.g.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.g.clearRect(0, 0, w, h);
  const frame = Math.min(film.frames - 1, Math.max(0, Math.floor(now / (film.step || 1) + 1e-9)));
  const poses = posesAt(now);
  camera.aim(w, h);
  const shown = $<HTMLInputElement>("paths").checked;
  drawing.poses = poses;
  const done = paths.map((path, k) => ({
    points: [...path.points.slice(0, Math.floor((now / (film.step || 1)) * fine + 1e-9) + 1), drawing.port(film.traces[k]!)],
    colour: path.colour,
  }));
  drawing.draw(poses, {
    tracks: shown ? [...paths.map((path) => ({ ...path, faint: true })), ...done] : [],
    names: $<HTMLInputElement>("names").checked,
    legend: true,
    off: offAt(film.start + now),
    slack: (k) => Boolean(film.links[k]!.slack?.[frame]),
  });
  if (shown) film.traces.forEach((trace) => pen.disc(camera.px(drawing.port(trace)), 3, trace.colour));
  $<HTMLInputElement>("slider").value = String(duration ? now / duration : 0);
  $("time").textContent = `t = ${(film.start + now).toFixed(digits)} s`;
}

function play(on: boolean): void {
  playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  last = 0;
  if (now >= duration) now = 0;
  requestAnimationFrame(tick);
}

function tick(ms: number): void {
  if (!playing) return;
  if (last && duration > 0) now = (now + (rate * (ms - last)) / 1000) % duration;
  last = ms;
  draw();
  requestAnimationFrame(tick);
}

function stop(time: number): void {
  play(false);
  now = time;
  draw();
}

function tellPace(): void {
  $("pace").textContent = rate < 1 ? `slowed down ${short(1 / rate)} times` : rate > 1 ? `sped up ${short(rate)} times` : "";
}

const speeds = [...new Set([0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, film.speed])].sort((a, b) => a - b);
const speed = $<HTMLSelectElement>("speed");
for (const s of speeds) speed.add(new Option(`${short(s)} ×`, String(s), s === film.speed, s === film.speed));
speed.onchange = () => {
  rate = Number(speed.value);
  tellPace();
};
tellPace();
$("play").onclick = () => play(!playing);
$("slider").oninput = () => stop(Number($<HTMLInputElement>("slider").value) * duration);
$("paths").onchange = $("names").onchange = draw;
$("home").onclick = () => {
  camera.home();
  draw();
};
if (!film.traces.length) $("paths").parentElement!.hidden = true;
if (!film.named.joints) $("names").parentElement!.hidden = true;
$("hint").textContent = camera.flat ? "drag to move, wheel to zoom" : "drag to turn, shift and drag to move, wheel to zoom";

let held: Vector | null = null;
canvas.onpointerdown = (e) => {
  held = [e.clientX, e.clientY];
  canvas.setPointerCapture(e.pointerId);
};
canvas.onpointerup = canvas.onpointercancel = () => (held = null);
canvas.onpointermove = (e) => {
  if (!held) return;
  const [dx, dy] = [e.clientX - held[0]!, e.clientY - held[1]!];
  held = [e.clientX, e.clientY];
  if (camera.flat || e.shiftKey) camera.pan(dx, dy);
  else camera.orbit(dx, dy);
  if (!playing) draw();
};
canvas.onwheel = (e) => {
  e.preventDefault();
  camera.zoomAt(Math.exp(-0.0015 * e.deltaY), [e.offsetX, e.offsetY]);
  if (!playing) draw();
};
addEventListener("keydown", (e) => {
  if (e.target instanceof HTMLElement && ["SELECT", "BUTTON"].includes(e.target.tagName)) return;
  if (e.key === " ") {
    e.preventDefault();
    play(!playing);
  }
  const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!way) return;
  e.preventDefault();
  stop(Math.min(duration, Math.max(0, now + way * Math.max(film.step, duration / 200))));
});
addEventListener("resize", draw);
if (matchMedia("(prefers-reduced-motion: reduce)").matches) stop(0);
else play(true);

// For whoever drives the page by a program.
Object.assign(globalThis, {
  jourdainPage: {
    show(time: number): string {
      stop(time);
      return $("time").textContent ?? "";
    },
    /** Pixels of both points of every joint, and the direction along which they may part, if there is one. */
    joints(time: number): { name: string; first: Vector; second: Vector; along: Vector | null }[] {
      stop(time);
      return film.joints.map((j) => ({
        name: j.name,
        first: camera.px(drawing.port(j.first)),
        second: camera.px(drawing.port(j.second)),
        along: j.travel ? camera.direction(drawing.turn(j.first.body, (camera.flat ? j.x_i : j.z_i)!)) : null,
      }));
    },
    turn(yaw: number, pitch: number, zoom: number): void {
      Object.assign(camera, { yaw, pitch, zoom });
      draw();
    },
  },
});
