import type { Examples } from './recorder.ts';

/**
 * The recorded examples, but the committed one wherever both have the same fields with values of the same types. A new call in
 * the run shifts the times and ids of all later ones, and a diff should show only what has changed. Null is like every value:
 * whether a job has counted an LP's orders yet depends on when the run asks.
 */
export const keepAlike = (committed: Examples, recorded: Examples): Examples =>
  Object.fromEntries(
    Object.entries(recorded).map(([key, example]) => {
      const before = committed[key];
      return [key, before !== undefined && isAlike(before, example) ? before : example];
    }),
  );

function isAlike(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const fields = Object.keys(one);
  const inOther = other as Record<string, unknown>;
  return (
    fields.length === Object.keys(other).length &&
    fields.every((name) => name in other && isAlike((one as typeof inOther)[name], inOther[name]))
  );
}
