import { expect } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';

/** Ends the pause that `restored` has made, as an admin who has handled what happened after the backup. */
export async function resumeAfterRestore({ admin }: { admin: Call }): Promise<void> {
  const { pauses } = await expectStatus(200, admin('GET', '/api/admin/pauses'));
  expect(pauses).toMatchObject([{ currency: null, agent_key_id: null }]);
  const [{ id, reason }] = pauses;
  expect(reason).toContain('the database was restored from a backup');
  await expectStatus(200, admin('DELETE', `/api/admin/pauses/${id}`));
}
