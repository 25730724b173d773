import { crashPoint } from '../../crash-point.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Database } from '../orm.ts';
import { rotation } from './rotate-agent-key.ts';

const ROTATE = rotation('lp', 'true');

/** As `rotateAgentKey`, for an LP's secret. Gives the end of the old one, ISO 8601. Throws `not_found`. */
export async function rotateLpKey(
  db: Database,
  id: number,
  keyHash: Buffer,
  overlapMs: number,
): Promise<string> {
  const values = [id, keyHash, overlapMs];
  const [row] = await db.query<{ previous_expires_at: string }>('lp-key-rotate', ROTATE, values);
  if (!row) throw new DomainError('not_found');
  crashPoint('rotation.committed');
  return new Date(row.previous_expires_at).toISOString();
}
