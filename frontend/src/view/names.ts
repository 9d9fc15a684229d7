// Names of parts may have dots (`leg3.piston`); those of points have none, and stand behind the last.

/** Of a point, without its owner. */
export function pointOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

/** Whether a name is that of a part, or of a point or channel of it. */
export function isOf(name: string, part: string): boolean {
  return name === part || name.startsWith(`${part}.`);
}
