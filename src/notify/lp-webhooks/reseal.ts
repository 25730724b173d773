import type { Database } from '../../db/orm.ts';
import { resealed, type SealedPair } from '../webhooks/sealed-secret.ts';
import type { ServiceSecrets } from './active.ts';

interface Row extends SealedPair, Record<string, unknown> {
  /** An LP's id for its present webhook, otherwise the id of a former one. */
  id: number;
  lpId: number;
}

const PRESENT = 'select lp_id as id, lp_id as "lpId", secret, previous_secret as previous from lp_webhook';
const FORMER = 'select id, lp_id as "lpId", secret, null::bytea as previous from former_lp_webhook';
const RESEAL = 'update lp_webhook set secret = $3, previous_secret = $4 where lp_id = $1 and secret = $2';
const RESEAL_FORMER = 'update former_lp_webhook set secret = $3 where id = $1 and secret = $2';

/**
 * During a rotation of the service's secret: encrypts under the first secret what only the second one opens. That includes
 * webhooks that are stopped or former, which are still warned of a stolen key.
 */
export async function resealLpSecrets(
  db: Database,
  { webhookSecret, secondWebhookSecret }: ServiceSecrets,
): Promise<void> {
  if (secondWebhookSecret === undefined) return;
  const again = (pair: SealedPair, id: number) =>
    resealed(pair, { kind: 'lp', id }, webhookSecret, secondWebhookSecret);
  for (const { id, lpId, ...pair } of await db.query<Row>('lp-webhook-secrets', PRESENT, [])) {
    const fresh = again(pair, lpId);
    if (fresh) await db.query('lp-webhook-reseal', RESEAL, [id, pair.secret, fresh.secret, fresh.previous]);
  }
  for (const { id, lpId, ...pair } of await db.query<Row>('former-lp-webhook-secrets', FORMER, [])) {
    const fresh = again(pair, lpId);
    if (fresh) await db.query('former-lp-webhook-reseal', RESEAL_FORMER, [id, pair.secret, fresh.secret]);
  }
}
