// A moment of the machine out of bytes; src/jourdain/studio/snapshot.py says how they stand.
import type { Pose } from "./view/scene";
import { matrix, type Vector } from "./view/vectors";

const HEAD = 64;

export interface HeldHand {
  number: number;
  turns: boolean;
  at: Vector;
  target: Vector;
  force: Vector;
  power: number;
}

export interface Snapshot {
  scene: number;
  version: number;
  playing: boolean;
  failed: boolean;
  step: number;
  t: number;
  end: number;
  speed: number;
  actual: number;
  subscription: number;
  poses: Pose[];
  values: number[];
  centre: Vector;
  hands: HeldHand[];
}

export function unpack(bytes: ArrayBuffer, dim: 2 | 3, bodies: number): Snapshot {
  const view = new DataView(bytes);
  const u32 = (k: number) => view.getUint32(k, true);
  const f64 = (k: number) => view.getFloat64(k, true);
  const width = dim === 2 ? 3 : 7;
  const size = 4 * width * bodies;
  const numbers = new Float32Array(bytes, HEAD, width * bodies);
  const poses = Array.from({ length: bodies }, (_, k) => {
    const row = Array.from(numbers.subarray(k * width, (k + 1) * width));
    return { p: row.slice(0, dim), R: matrix(row.slice(dim)) };
  });
  const rest = Array.from(new Float64Array(bytes, HEAD + size + ((8 - (size % 8)) % 8)));
  const count = u32(60);
  const tail = rest.splice(rest.length - dim - count * (3 * dim + 3));
  const centre = tail.splice(0, dim);
  const hands = Array.from({ length: count }, () => {
    const [number, turns] = tail.splice(0, 2);
    const [at, target, force] = [tail.splice(0, dim), tail.splice(0, dim), tail.splice(0, dim)];
    return { number: number!, turns: turns! > 0, at, target, force, power: tail.splice(0, 1)[0]! };
  });
  const flags = u32(12);
  return {
    scene: u32(4),
    version: u32(8),
    playing: (flags & 1) > 0,
    failed: (flags & 2) > 0,
    step: f64(16),
    t: f64(24),
    end: f64(32),
    speed: f64(40),
    actual: f64(48),
    subscription: u32(56),
    poses,
    values: rest,
    centre,
    hands,
  };
}
