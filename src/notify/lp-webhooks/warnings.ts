import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { openSecret } from '../webhooks/sealed-secret.ts';
import type { ServiceSecrets } from './active.ts';

/** A warning of a stolen key whose next attempt is due. */
export interface DueWarning {
  id: number;
  lpId: number;
  url: string;
  body: string;
  /** All that the URL has had lately, of which each signs: a thief may have replaced the one that the LP knows. */
  secrets: string[];
}

interface Row extends Record<string, unknown>, Omit<DueWarning, 'secrets'> {
  secrets: Buffer[];
}

/** A few of each URL, oldest first, so that a URL that hangs does not delay the others. */
const DUE = `
  select due.id, due.lp_id as "lpId", due.url, due.body, array(
    select secret from warned_webhook hook where hook.lp_id = due.lp_id and hook.url = due.url
  ) as secrets
  from (
    select *, row_number() over (partition by lp_id, url order by id) as place from webhook_delivery
    where state = 'pending' and url is not null and (next_attempt_at is null or next_attempt_at <= now())
      and id <> all($2::bigint[])
  ) due
  where place <= $1`;

const GIVE_UP = `update webhook_delivery set state = 'exhausted', finished_at = now() where id = $1 and state = 'pending'`;

/**
 * The warnings to attempt now. `underWay`: ids that this process is already sending. It gives up a warning that no secret can
 * sign any more: its URL is a former one that is no longer kept, or the service's secret was replaced.
 */
export async function dueWarnings(
  db: Database,
  { webhookSecret, secondWebhookSecret }: ServiceSecrets,
  log: Logger,
  perUrl: number,
  underWay: number[],
): Promise<DueWarning[]> {
  const due: DueWarning[] = [];
  for (const { secrets: sealed, ...warning } of await db.query<Row>('lp-warnings-due', DUE, [
    perUrl,
    underWay,
  ])) {
    const owner = { kind: 'lp', id: warning.lpId } as const;
    const secrets = sealed.flatMap((one) => openSecret(one, owner, webhookSecret, secondWebhookSecret) ?? []);
    if (secrets.length > 0) due.push({ ...warning, secrets });
    else {
      await db.query('lp-warning-give-up', GIVE_UP, [warning.id]);
      log.warn({ lpId: warning.lpId, deliveryId: warning.id }, 'no secret can sign a warning to an LP');
    }
  }
  return due;
}
