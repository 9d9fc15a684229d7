// What the page knows: the document and the scene as Python told them, the last snapshot, what is chosen and said.
import { Line, type Answer } from "./socket";
import { unpack, type Snapshot } from "./snapshot";
import { isOf } from "./view/names";
import type { Port, Pose, Scene } from "./view/scene";
import type { Measure } from "./view/over";
import type { Vector } from "./view/vectors";

export interface NumberRow {
  name: string;
  key: string;
  unit: string;
  value: number;
  written: string;
}

export interface Part {
  name: string;
  path: string;
  type: string;
  line?: number;
  numbers: NumberRow[];
  points?: string[];
  between?: string[];
}

export interface Section {
  section: string;
  parts: Part[];
}

export interface Fault {
  line: number;
  column: number;
  words: string;
  part: string;
}

export interface Branch {
  name: string;
  start: number;
  end: number;
}

export interface State {
  name: string;
  file: string;
  text: string;
  version: number;
  faults: Fault[];
  saved: boolean;
  undo: boolean;
  redo: boolean;
  runs: boolean;
  tree: Section[];
  words: string[];
  branch?: string;
  branches?: Branch[];
  locked?: string[];
  lent: boolean;
  channels?: string[];
}

export interface MarkOfTime {
  t: number;
  kind: "edit" | "event" | "impact" | "snapshot";
  words: string;
}

export interface Message {
  id: number;
  kind: string;
  words: string;
  t: number;
}

export type StudioScene = Scene & { number: number };

const MOST_MESSAGES = 200;
const MOST_SAMPLES = 20000;
const MOST_POSES = 1200; // moments of which a path can still be drawn
const OWN_PATHS = ["#aa3377", "#228833", "#ee6677", "#4477aa"];

class Studio {
  state = $state.raw<State | null>(null);
  scene = $state.raw<StudioScene | null>(null);
  open = $state(false); // the line
  lost = $state(false); // it was open
  busy = $state.raw<{ words: string; part: number } | null>(null);
  messages = $state.raw<Message[]>([]);
  chosen = $state<string>(""); // name of a part, or a point such as crank.B
  t = $state(0);
  end = $state(0);
  playing = $state(false);
  failed = $state(false);
  speed = $state(1);
  actual = $state(0);
  plotted = $state.raw<string[]>([]);
  forces = $state(false);
  names = $state(true);
  centre = $state(false);
  paths = $state(true);
  turning = $state(false); // a pull turns bodies in space
  measuring = $state(false);
  measure = $state.raw<Measure>([]);
  marks = $state.raw<MarkOfTime[]>([]);
  watching = $state(false); // what was is shown again
  traced = $state.raw<string[]>([]); // points whose paths somebody wants, besides those of the document

  now: Snapshot | null = null; // not watched: it changes in every frame
  samples: { t: number; values: number[] }[] = [];
  tracks = new Map<string, Vector[]>();
  private moments: Pose[][] = [];
  onFrame: (() => void)[] = [];
  private subscribed: string[] = [];
  private subscription = -1;
  private wanted: string[] = [];
  private count = 0;
  private readonly line: Line;

  constructor() {
    this.line = new Line({
      event: (event) => this.event(event),
      snapshot: (bytes) => this.snapshot(bytes),
      line: (open) => {
        this.lost = !open && (this.open || this.lost);
        this.open = open;
        this.wanted = [];
        if (open) void this.subscribe();
      },
    });
  }

  private event(event: Record<string, any>): void {
    if (event.event === "state") {
      this.busy = null;
      const other = this.state?.name !== event.name;
      this.state = event as State;
      if (!event.runs) this.scene = this.now = null;
      if (other) {
        this.chosen = "";
        this.traced = [];
        this.forget();
      }
      if (!this.part(this.chosen)) this.chosen = "";
      document.title = `${event.saved ? "" : "• "}${event.name} – Jourdain studio`;
    } else if (event.event === "scene") {
      if (this.scene?.dim !== event.dim || this.scene?.bodies.length !== event.bodies.length) this.moments = [];
      this.scene = event as StudioScene;
      void this.subscribe();
    } else if (event.event === "marks") {
      this.marks = event.marks as MarkOfTime[];
    } else if (event.event === "busy") {
      this.busy = { words: event.words, part: event.part };
    } else if (event.event === "told") {
      this.say(event.kind, event.words, event.t);
    }
  }

  /** What was drawn of the past of another machine. */
  forget(): void {
    this.samples = [];
    this.tracks.clear();
    this.moments = [];
    this.plotted = [];
    this.measure = [];
    this.watching = false;
  }

  private snapshot(bytes: ArrayBuffer): void {
    const scene = this.scene;
    if (!scene || new DataView(bytes).getUint32(4, true) !== scene.number) return;
    const now = unpack(bytes, scene.dim, scene.bodies.length);
    const back = this.now ? now.t < this.now.t : false;
    this.now = now;
    this.t = now.t;
    this.end = now.end;
    this.playing = now.playing;
    this.failed = now.failed;
    this.speed = now.speed;
    this.actual = now.actual;
    if (now.subscription === this.subscription) this.keep(now);
    this.trace(back);
    for (const f of this.onFrame) f();
  }

  private keep(now: Snapshot): void {
    const last = this.samples.at(-1);
    if (last && now.t <= last.t) {
      if (now.playing && now.t < last.t) this.samples = this.samples.filter((sample) => sample.t < now.t);
      else return;
    }
    this.samples.push({ t: now.t, values: now.values.slice(0, this.plotted.length) });
    if (this.samples.length > MOST_SAMPLES) this.samples = this.samples.filter((_, k) => k % 2 === 0);
  }

  private trace(back: boolean): void {
    const { scene, now } = this;
    if (!scene || !now) return;
    if (back) {
      this.tracks.clear();
      this.moments = [];
    }
    this.moments.push(now.poses);
    if (this.moments.length > MOST_POSES) this.moments.splice(0, 200);
    for (const trace of this.traces()) {
      const key = `${trace.body} ${trace.at.join()}`;
      const points = this.tracks.get(key) ?? [];
      for (const poses of points.length ? [now.poses] : this.moments) along(scene, trace, poses[trace.body], points);
      if (points.length > 3000) points.splice(0, 500);
      this.tracks.set(key, points);
    }
  }

  /** Points whose paths are drawn: those of the document, and those that somebody wants. */
  traces(): (Port & { colour: string })[] {
    const { scene } = this;
    if (!scene) return [];
    const own = this.traced.flatMap((name, k) => {
      const point = scene.points?.find((one) => one.name === name);
      return point && point.body >= 0 ? [{ body: point.body, at: point.at, colour: OWN_PATHS[k % OWN_PATHS.length]! }] : [];
    });
    return [...scene.traces, ...own];
  }

  /** A path on or off; it begins with what was seen lately. */
  path(point: string): void {
    this.traced = this.traced.includes(point) ? this.traced.filter((one) => one !== point) : [...this.traced, point];
    for (const f of this.onFrame) f();
  }

  /** What was, once more, without another way: from here to the end of the branch, or to where somebody stops it. */
  async watch(): Promise<void> {
    if (this.watching) {
      this.watching = false;
      return;
    }
    this.watching = true;
    const [from, begun] = [this.t, performance.now()];
    while (this.watching && this.t < this.end - 1e-9) {
      const t = Math.min(this.end, from + (this.speed * (performance.now() - begun)) / 1000);
      const answer = await this.ask("seek", { t });
      if (!answer.ok) break;
      await new Promise((done) => requestAnimationFrame(done));
      if (t >= this.end) break;
    }
    this.watching = false;
  }

  /** Channels that curves, arrows and ropes need; curves first. */
  async subscribe(): Promise<void> {
    const scene = this.scene;
    if (!scene || !this.open) return;
    const names = [...this.plotted];
    if (this.forces) for (const joint of scene.joints) names.push(...(joint.force ?? []));
    for (const link of scene.links) if (link.stretch) names.push(link.stretch);
    if (names.join() === this.wanted.join() && this.subscription >= 0 && names.length) return;
    this.wanted = names;
    const answer = await this.ask("subscribe", { channels: names }, true);
    if (!answer.ok) return;
    this.subscribed = answer.channels as string[];
    this.subscription = answer.subscription as number;
  }

  /** A channel now; not a number where it is not subscribed yet. */
  value(channel: string): number {
    if (this.now?.subscription !== this.subscription) return NaN;
    return this.now.values[this.subscribed.indexOf(channel)] ?? NaN;
  }

  plot(channels: string[]): void {
    this.plotted = channels;
    this.samples = [];
    void this.subscribe();
  }

  say(kind: string, words: string, t = this.t): void {
    if (!words) return;
    this.messages = [...this.messages.slice(1 - MOST_MESSAGES), { id: ++this.count, kind, words, t }];
  }

  async ask(word: string, more: object = {}, silent = false): Promise<Answer> {
    const answer = await this.line.ask(word, more);
    if (!answer.ok && !silent) this.say("refused", answer.sentence);
    return answer;
  }

  tell(word: string, more: object): void {
    this.line.tell(word, more);
  }

  apply(operation: object): Promise<Answer> {
    return this.ask("apply", { operation });
  }

  part(name: string): Part | null {
    let found: Part | null = null;
    for (const section of this.state?.tree ?? [])
      for (const part of section.parts) if (isOf(name, part.name) && part.name.length > (found?.name.length ?? 0)) found = part;
    return found;
  }

  toggle(): void {
    this.watching = false;
    void this.ask(this.playing ? "pause" : "play");
  }

  step(n: number): void {
    this.watching = false;
    void this.ask("step", { n });
  }

  seek(t: number): void {
    this.watching = false;
    void this.ask("seek", { t });
  }

  async save(): Promise<void> {
    let name = this.state?.file || prompt("Save as", `${this.state?.name ?? "mine"}.yaml`.replace(/\.yaml\.yaml$/, ".yaml"));
    if (!name) return;
    if (!/\.(ya?ml|json)$/.test(name)) name += ".yaml";
    let answer = await this.ask("save", { name }, true);
    if (!answer.ok && /there already|changed on disk/.test(answer.sentence) && confirm(`${answer.sentence}\n\nWrite over it?`))
      answer = await this.ask("save", { name, overwrite: true }, true);
    this.say(answer.ok ? "edit" : "refused", answer.sentence);
  }
}

/** One more place of a path, if it is not the last one. */
function along(scene: Scene, port: Port, pose: Pose | undefined, points: Vector[]): void {
  if (!pose) return;
  const p = pose.p.map((x, i) => x + pose.R[i]!.reduce((s, y, j) => s + y * port.at[j]!, 0));
  const last = points.at(-1);
  const extent = Math.hypot(...p.map((_, i) => scene.high[i]! - scene.low[i]!));
  if (!last || Math.hypot(...p.map((x, i) => x - last[i]!)) > 1e-4 * extent) points.push(p);
}

export const studio = new Studio();
