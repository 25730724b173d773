import type { z } from 'zod';
import type { timelineResponse } from '../../../src/contract/agent-orders.ts';
import { time, words } from '../format.ts';
import { Badge } from './badge.tsx';

/** Everything that has become of an order, and whom it waits for. */
export function TimelineList({ timeline }: { timeline: z.output<typeof timelineResponse> }) {
  const { transitions, next } = timeline;
  return (
    <ol class="past" aria-label="Timeline">
      {transitions.map(({ seq, status, actor, lp_id, cause, reason, at }) => (
        <li key={seq}>
          <Badge status={status} /> <strong>{words(cause)}</strong> by{' '}
          {lp_id === null ? actor : `LP ${lp_id}`} <time dateTime={at}>{time(at)}</time>
          {reason && <p>{reason}</p>}
        </li>
      ))}
      {next && (
        <li class="next">
          waits for {whomOf(timeline)}
          {next.due_at && (
            <>
              {' '}
              until <time dateTime={next.due_at}>{time(next.due_at)}</time>
            </>
          )}
        </li>
      )}
    </ol>
  );
}

/** An order that is open waits for any LP, later for its own. */
function whomOf({ transitions, next }: z.output<typeof timelineResponse>): string {
  if (next?.waiting_for !== 'lp') return `the ${next?.waiting_for}`;
  return transitions.at(-1)?.status === 'matched' ? 'an LP' : 'the LP';
}
