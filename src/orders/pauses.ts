import type { Pause } from '../db/entities/pause.ts';
import { violates } from '../db/errors.ts';
import type { Database } from '../db/orm.ts';
import { untilPaused } from '../db/pauses.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { offersBecomeDue } from '../market/lps/auto-claim-offers.ts';

/** The scope of a pause. Null: every currency, or every agent. */
export type PauseScope = Pick<Pause, 'currency' | 'agent_key_id'>;

const PAUSE = `
  with earlier as (
    select reason from pause
    where coalesce(currency, '') = coalesce($1, '') and coalesce(agent_key_id, 0) = coalesce($2::bigint, 0)
  )
  insert into pause (currency, agent_key_id, reason) values ($1, $2, $3)
  on conflict (coalesce(currency, ''), coalesce(agent_key_id, 0)) do update set reason = excluded.reason
  returning *, (select reason from earlier) as replaced_reason`;

/** A pause, with the reason that this call has replaced. Null: the scope was not paused when the call began. */
export type MadePause = Pause & { replaced_reason: string | null };

/**
 * Stops new payments and claims in a scope. After it resolves, no covered payment or claim can commit. A repeated call
 * replaces the reason. Throws `unavailable` if a statement that began earlier does not end: then the pause is in force
 * for all others.
 */
export async function pausePayments(
  db: Database,
  { currency, agent_key_id }: PauseScope,
  reason: string,
): Promise<MadePause> {
  const [pause] = await db
    .query<MadePause & Record<string, unknown>>('pause', PAUSE, [currency, agent_key_id, reason])
    .catch((error) => {
      if (violates(error, 'pause_agent_key_id_foreign'))
        throw invalidField('agent_key_id', `is not an agent key: there is none with the id ${agent_key_id}`);
      throw error;
    });
  if (!pause) throw new Error('A pause was written and not returned');
  if (await untilPaused(db)) return pause;
  throw new DomainError(
    'unavailable',
    'The pause is in force, but a payment or a claim that began before it has not ended. Repeat the same call to wait for it.',
    { retryAfter: 2 },
  );
}

const RESUME = `
  with ended as (delete from pause where id = $1 returning id),
  ${offersBecomeDue('select lp_id from lp_auto_claim where exists (select from ended)')}
  select id from ended`;

/** Ends a pause, and makes auto-claim try the open orders again. Returns false if there is no such pause. */
export async function resumePayments(db: Database, id: number): Promise<boolean> {
  return (await db.query('resume', RESUME, [id])).length > 0;
}
