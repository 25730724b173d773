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
          waits for {next.waiting_for === 'lp' ? 'the LP' : `the ${next.waiting_for}`}
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
