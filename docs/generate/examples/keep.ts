import type { Examples } from './recorder.ts';

/**
 * The recorded examples, but the committed one wherever both have the same fields with values of the same types. A new call in
 * the run shifts the times and ids of all later ones, and a diff should show only what has changed.
 */
export const keepAlike = (committed: Examples, recorded: Examples): Examples =>
  Object.fromEntries(
    Object.entries(recorded).map(([key, example]) => {
      const before = committed[key];
      return [key, before !== undefined && shapeOf(before) === shapeOf(example) ? before : example];
    }),
  );

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join(',')}]`;
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  const fields = Object.entries(value).map(([name, field]) => `${name}:${shapeOf(field)}`);
  return `{${fields.sort().join(',')}}`;
}
