import type { Database } from '../../db/orm.ts';
import type { DeliveryState } from '../../domain/delivery-state.ts';

/** The state of a finished delivery before it was reopened. */
export interface ClosedDelivery {
  id: number;
  state: DeliveryState;
  attempts_before: number;
  /** In PostgreSQL's text format. */
  finished_at: string | null;
}

/** SQL: makes the finished delivery `d` pending again; the numbers of its attempts continue. */
export const REOPENED = `state = 'pending', attempts_before = d.attempts, finished_at = null, next_attempt_at = null`;

/** SQL: the event of a changed state, if an admin changes it. No trigger can write it: workers change these rows all the time. */
export const auditedChange = (before: string, after: string): string => `
  case when audit_context() ->> 'actor' like 'admin:%' then append_audit(
    audit_context(), 'redeliver', 'webhook_delivery:' || id, 'done',
    jsonb_build_object('state', ${before}), jsonb_build_object('state', ${after}), null
  ) end as audited`;

const REOPEN = `
  with closed as (
    select id, state, attempts_before, finished_at from webhook_delivery where id = $1 and state <> 'pending' and body is not null for update
  ), reopened as (
    update webhook_delivery d set ${REOPENED}
    from closed where d.id = closed.id
    returning closed.*
  )
  select reopened.*, ${auditedChange('state', "'pending'")} from reopened`;

/**
 * Makes a finished delivery pending again; the numbers of its attempts continue. Returns its previous state, or
 * undefined if it is already pending, or if masking has just removed its body. The audit has an event if an admin does it.
 */
export async function reopenDelivery(db: Database, id: number): Promise<ClosedDelivery | undefined> {
  return (await db.query<ClosedDelivery>('webhook-reopen', REOPEN, [id]))[0];
}

const CLOSE = `
  with closed as (
    update webhook_delivery set state = $2, attempts_before = $3, finished_at = $4
    where id = $1 and state = 'pending' and attempts = attempts_before
    returning id, state
  )
  select ${auditedChange("'pending'", 'state')} from closed`;

/** Reverts a reopening whose signal failed, unless an attempt has begun since. */
export async function closeAgain(
  db: Database,
  { id, state, attempts_before, finished_at }: ClosedDelivery,
): Promise<void> {
  await db.query('webhook-close', CLOSE, [id, state, attempts_before, finished_at]);
}
