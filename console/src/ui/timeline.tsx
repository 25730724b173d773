import type { z } from 'zod';
import type { timelineResponse } from '../../../src/api/resources/agent-orders/schemas.ts';
import { actorWords, causeWords } from '../words.ts';
import { Badge } from './badge.tsx';
import { Time } from './time.tsx';

/** The transitions of an order, and who has to act next. */
export function TimelineList({ timeline }: { timeline: z.output<typeof timelineResponse> }) {
  const { transitions, next } = timeline;
  return (
    <ol class="timeline" aria-label="Timeline">
      {transitions.map(({ seq, status, actor, lp_id, cause, reason, at }) => (
        <li key={seq}>
          <Badge status={status} /> <strong>{causeWords(cause)}</strong> by{' '}
          {lp_id === null ? actorWords(actor) : `LP ${lp_id}`} <Time at={at} />
          {reason && <p>{reason}</p>}
        </li>
      ))}
      {next && (
        <li class="next">
          waits for {describeNextActor(timeline)}
          {next.due_at && (
            <>
              {' '}
              until <Time at={next.due_at} />
            </>
          )}
        </li>
      )}
    </ol>
  );
}

/** An open order waits for any LP, a claimed order for the LP that claimed it. */
function describeNextActor({ transitions, next }: z.output<typeof timelineResponse>): string {
  if (next?.waiting_for !== 'lp') return actorWords(next?.waiting_for ?? '');
  return transitions.at(-1)?.status === 'matched' ? 'an LP' : 'the LP';
}
