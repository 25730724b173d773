import type { Actors } from './actors.ts';

/** What admins read, and how they suspend an LP. */
export async function walkAdminRoutes({ admin, otherLp }: Actors): Promise<void> {
  const reason = 'The mobile-money network is down';
  const { id } = (await admin.call('POST', '/api/admin/pauses', { currency: 'NGN', reason })).body;
  for (const path of [
    '/api/admin/orders?limit=2',
    '/api/admin/pauses',
    '/api/admin/overview',
    '/api/admin/throughput?hours=1',
    '/api/admin/ledger',
    '/api/admin/reconciliation',
    '/api/admin/users',
    '/api/admin/lps',
    '/api/admin/agent-keys',
  ])
    await admin.call('GET', path);
  await admin.call('DELETE', `/api/admin/pauses/${id}`);
  await admin.call('POST', `/api/admin/lps/${otherLp.id}/suspend`);
}

/** Limits, rotations and the end of keys. Nothing can be called with the old keys afterwards. */
export async function walkKeyRoutes({ admin, agent, lp }: Actors): Promise<void> {
  const key = `/api/admin/agent-keys/${agent.keyId}`;
  await admin.call('POST', key, { rate_limit: 600, max_exposure_usd: 10_000 });
  await admin.call('POST', `${key}/rotate`, { overlap: '24h' });
  await admin.call('DELETE', key);
  await lp.call('POST', `${lp.own}/rotate`, {});
  await admin.call('POST', `/api/admin/lps/${lp.id}/rotate`, {});
}
