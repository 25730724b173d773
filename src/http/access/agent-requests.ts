import type { Database } from '../../db/orm.ts';
import { type RateState, secondsUntil } from './rate-window.ts';

/**
 * Counts a request of an agent key, unless its limit is reached, exactly and across all processes. The window begins with
 * its first request. Agents send many requests, so the row has their number and not the time of each, as `rate_window`
 * does: a request costs the same with any limit. In return, an agent may send twice its limit around the end of a window.
 */
const COUNT = `
  with counted as (
    insert into agent_request_count as c (agent_key_id, requests, until)
    values ($1, 1, clock_timestamp() + $3::interval)
    on conflict (agent_key_id) do update set
      requests = case when c.until > clock_timestamp() then c.requests + 1 else 1 end,
      until = case when c.until > clock_timestamp() then c.until else clock_timestamp() + $3::interval end
    where c.requests < $2::int or c.until <= clock_timestamp()
    returning requests, until
  )
  select true as within, $2::int - requests as remaining, ${secondsUntil('until')} as reset from counted
  union all
  select false, 0, ${secondsUntil('until')}
  from agent_request_count where agent_key_id = $1 and not exists (select from counted)`;

/** Counts a request of an agent key against its limit in a window of `windowSeconds`. */
export async function countAgentRequest(
  db: Database,
  agentKeyId: number,
  limit: number,
  windowSeconds: number,
): Promise<RateState> {
  const values = [agentKeyId, limit, `${windowSeconds} seconds`];
  const [row] = await db.query<{ within: boolean; remaining: number; reset: number }>(
    'agent-request',
    COUNT,
    values,
  );
  // No row: concurrent requests reached the limit after this statement took its snapshot.
  if (!row) return { within: false, remaining: 0, resetSeconds: windowSeconds };
  return { within: row.within, remaining: row.remaining, resetSeconds: row.reset };
}
