import { type Decimal, decimal } from '../../src/domain/money.ts';
import { attemptOf, type Market, rowsOf } from './market.ts';

/** Stored times are rounded to the millisecond. */
const ROUNDING_MS = 1;

/** The commit time of an event's transaction, from PostgreSQL's own record. */
const COMMITTED = `pg_xact_commit_timestamp(e.xid::xid)`;

/**
 * The sum of an agent's live orders never exceeds its limit. Replays the events in the order of their commits: an
 * order that ended frees its amount only for payments that were committed later.
 */
export async function exceededCaps(market: Market): Promise<string[]> {
  const events = await rowsOf<{ id: number; seq: number; agent: number; usd: string; cap: string }>(
    market,
    `select o.id::int, e.seq, o.agent_key_id::int as agent, o.amount_usd as usd, k.max_exposure_usd as cap
     from order_event e join orders o on o.id = e.order_id join agent_key k on k.id = o.agent_key_id
     where e.seq = 1 or e.status in ('completed', 'cancelled')
     order by ${COMMITTED}, e.seq desc`,
  );
  const sums = new Map<number, Decimal>();
  return events.flatMap(({ id, seq, agent, usd, cap }) => {
    const sum = (sums.get(agent) ?? decimal(0)).plus(seq === 1 ? usd : decimal(usd).neg());
    sums.set(agent, sum);
    const isExceeded = seq === 1 && decimal(cap).gt(0) && sum.gt(cap);
    return isExceeded ? [`order ${id} takes agent ${agent} to ${sum} USD, above its limit of ${cap}`] : [];
  });
}

/**
 * Each strike is for an LP that owned the order, for a deadline that had passed or a release that the LP itself sent.
 * Honest LPs have none. No LP claims between a strike and its forgiveness: a cool-down lasts longer than the run.
 */
export async function wrongStrikes(market: Market): Promise<string[]> {
  const strikes = await rowsOf<{
    id: number;
    lp: number;
    owner: number;
    cause: string;
    early: number | null;
  }>(
    market,
    `select s.order_id::int as id, s.lp_id::int as lp, (before.snapshot->>'lp_id')::int as owner, e.cause,
       extract(epoch from (before.snapshot->>'timeout_at')::timestamptz - e.created_at)::float * 1000 as early
     from lp_strike s
     join order_event e on e.order_id = s.order_id and e.seq = s.seq
     join order_event before on before.order_id = s.order_id and before.seq = s.seq - 1`,
  );
  const honest = new Set(market.lps.filter(({ isHonest }) => isHonest).map(({ id }) => id));
  const wrong = strikes.flatMap(({ id, lp, owner, cause, early }) => [
    ...(lp === owner ? [] : [`order ${id}: LP ${lp} got the strike of LP ${owner}`]),
    ...(honest.has(lp) ? [`order ${id}: the honest LP ${lp} got a strike for a ${cause}`] : []),
    ...(cause === 'deadline' && (early === null || early > ROUNDING_MS)
      ? [`order ${id}: LP ${lp} got a strike ${early} ms before its deadline`]
      : []),
    ...(['deadline', 'release'].includes(cause) ? [] : [`order ${id}: LP ${lp} got a strike for ${cause}`]),
  ]);
  const cooling = await rowsOf<{ id: number; lp: number; strike: number }>(
    market,
    `select claimed.order_id::int as id, s.lp_id::int as lp, s.order_id::int as strike
     from lp_strike s
     join order_event e on e.order_id = s.order_id and e.seq = s.seq
     join order_event claimed on claimed.from_status = 'matched' and claimed.status = 'claimed'
       and claimed.actor = 'lp:' || s.lp_id
     left join lp_forgiveness f on f.id = s.forgiveness_id
     where claimed.created_at > ${COMMITTED} + interval '${ROUNDING_MS} ms'
       and (f.id is null or f.created_at > pg_xact_commit_timestamp(claimed.xid::xid))`,
  );
  const claims = cooling.map(
    ({ id, lp, strike }) => `order ${id} was claimed by LP ${lp}, which cools down after order ${strike}`,
  );
  return [...wrong, ...claims];
}

/** Each event of a party follows a command that the party sent. A deadline has passed before its event. */
export async function unrequestedEvents(market: Market): Promise<string[]> {
  const events = await rowsOf<{
    id: number;
    seq: number;
    actor: string;
    cause: string;
    early: number | null;
  }>(
    market,
    `select e.order_id::int as id, e.seq, e.actor, e.cause,
       case when e.cause = 'deadline' then
         coalesce(extract(epoch from (before.snapshot->>'timeout_at')::timestamptz - e.created_at)::float * 1000, 0)
       end as early
     from order_event e
     left join order_event before on before.order_id = e.order_id and before.seq = e.seq - 1
     where e.seq > 1`,
  );
  const revoked = new Set(market.agents.filter(({ isRevoked }) => isRevoked).map(({ keyId }) => keyId));
  const owners = new Map(
    (
      await rowsOf<{ id: number; agent: number }>(
        market,
        'select id::int, agent_key_id::int as agent from orders',
      )
    ).map(({ id, agent }) => [id, agent]),
  );
  return events.flatMap(({ id, seq, actor, cause, early }) => {
    const event = `order ${id}, event ${seq}: ${cause} by ${actor}`;
    if (early !== null && early > ROUNDING_MS) return [`${event} came ${early} ms too early`];
    if (actor !== 'service')
      return market.attempts.has(attemptOf(id, actor, cause))
        ? []
        : [`${event}, which did not send the command`];
    if (cause === 'revoke')
      return revoked.has(owners.get(id) ?? 0) ? [] : [`${event}, whose key is not revoked`];
    // A signal alone must not make an order look as if the database had lost its commits.
    if (cause === 'lost-commits')
      return market.mayLookLost.has(id) ? [] : [`${event}, which has lost none and has its own workflow`];
    return ['deadline', 'verified', 'invalid'].includes(cause)
      ? []
      : [`${event} is not a command of the service`];
  });
}

/**
 * No payment and no claim happens for a paused or revoked agent or a suspended LP. A payment or claim that began in a pause
 * may be committed after it, if it waited until an admin ended the pause.
 */
export async function startsInWindows(market: Market): Promise<string[]> {
  const starts = await rowsOf<{
    id: number;
    status: string;
    agent: number;
    actor: string;
    begunMs: number;
    committedMs: number;
  }>(
    market,
    `select e.order_id::int as id, e.status, o.agent_key_id::int as agent, e.actor,
       extract(epoch from e.created_at)::float * 1000 as "begunMs",
       extract(epoch from ${COMMITTED})::float * 1000 as "committedMs"
     from order_event e join orders o on o.id = e.order_id
     where e.seq = 1 or (e.from_status = 'matched' and e.status = 'claimed')`,
  );
  return starts.flatMap(({ id, status, agent, actor, begunMs, committedMs }) =>
    market.windows
      .filter(
        ({ subject, fromMs, toMs }) =>
          ['all', `agent:${agent}`, actor].includes(subject) &&
          begunMs > fromMs + ROUNDING_MS &&
          committedMs < toMs,
      )
      .map(({ what, subject }) => `order ${id} became ${status} by ${actor} while ${subject} was ${what}`),
  );
}
