import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import { rotateSecret } from './rotate-secret.ts';

/** As `rotateAgentKey`, for an LP's secret. Returns the end of the old secret, ISO 8601. Throws `not_found`. */
export async function rotateLpKey(
  db: Database,
  id: number,
  keyHash: Buffer,
  overlapMs: number,
): Promise<string> {
  const ends = await rotateSecret(db, 'lp', id, keyHash, overlapMs);
  if (!ends) throw new DomainError('not_found');
  return ends;
}
