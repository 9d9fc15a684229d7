// Vectors of two or three numbers, and attitudes as matrices whose rows act on body-fixed vectors.
export type Vector = number[];

export const add = (a: Vector, b: Vector): Vector => a.map((x, i) => x + b[i]!);
export const sub = (a: Vector, b: Vector): Vector => a.map((x, i) => x - b[i]!);
export const mul = (s: number, a: Vector): Vector => a.map((x) => s * x);
export const dot = (a: Vector, b: Vector): number => a.reduce((s, x, i) => s + x * b[i]!, 0);
export const norm = (a: Vector): number => Math.hypot(...a);

export function unit(a: Vector): Vector {
  const n = norm(a);
  return n > 0 ? mul(1 / n, a) : a;
}

export function cross(a: Vector, b: Vector): Vector {
  const [a0, a1, a2] = a as [number, number, number];
  const [b0, b1, b2] = b as [number, number, number];
  return [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0];
}

export function middle(points: Vector[]): Vector {
  return mul(1 / points.length, points.reduce(add));
}

/** Of an angle, or of a quaternion w, x, y, z. */
export function matrix(attitude: Vector): Vector[] {
  if (attitude.length === 1) {
    const c = Math.cos(attitude[0]!);
    const s = Math.sin(attitude[0]!);
    return [
      [c, -s],
      [s, c],
    ];
  }
  const [w, x, y, z] = unit(attitude) as [number, number, number, number];
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}
