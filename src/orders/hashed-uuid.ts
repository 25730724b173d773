import { createHash } from 'node:crypto';

/** A UUID of version 8 that depends on these values alone. Ids that are drawn have version 4, so it equals none of them. */
export function hashedUuid(values: unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
