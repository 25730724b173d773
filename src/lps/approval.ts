import type { Database } from '../db/orm.ts';

const APPROVAL = `select id, status = 'approved' as approved from lp where id = any($1::bigint[])`;

/** Whether each of the LPs is approved now. */
export async function lpApproval(db: Database, lpIds: number[]): Promise<Map<number, boolean>> {
  const rows = await db.query<{ id: number; approved: boolean }>('lp-approval', APPROVAL, [lpIds]);
  return new Map(rows.map(({ id, approved }) => [id, approved]));
}
