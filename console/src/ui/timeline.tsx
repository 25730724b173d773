import type { z } from 'zod';
import type { timelineResponse } from '../../../src/api/resources/agent-orders/schemas.ts';
import { actorWords, causeWords, incidentWords } from '../words.ts';
import { Badge } from './badge.tsx';
import { Time } from './time.tsx';

/** The transitions of an order, and who has to act next. */
export function TimelineList({ timeline }: { timeline: z.output<typeof timelineResponse> }) {
  const { transitions, incidents, next } = timeline;
  // An incident has an entry for its opening. Its end is a transition, if it moved the deadline.
  const entries = [
    ...transitions.map((transition) => ({
      at: transition.at,
      item: <Step key={transition.seq} {...transition} />,
    })),
    ...incidents.map((incident) => ({
      at: incident.opened_at,
      item: <Opening key={`incident ${incident.opened_at}`} {...incident} />,
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <ol class="timeline" aria-label="Timeline">
      {entries.map(({ item }) => item)}
      {next && (
        <li class="next">
          waits for {describeNextActor(timeline)}
          {next.stopped && (
            <>
              ; its clock stands still since <Time at={next.stopped.since} />
              <p>{next.stopped.reason}</p>
            </>
          )}
          {next.due_at && !next.stopped && (
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

type Timeline = z.output<typeof timelineResponse>;

const Step = ({ status, actor, lp_id, cause, reason, at }: Timeline['transitions'][number]) => (
  <li>
    <Badge status={status} /> <strong>{causeWords(cause)}</strong> by{' '}
    {lp_id === null ? actorWords(actor) : `LP ${lp_id}`} <Time at={at} />
    {reason && <p>{reason}</p>}
  </li>
);

const Opening = (incident: Timeline['incidents'][number]) => (
  <li>
    <strong>Incident of {incidentWords(incident)}</strong> <Time at={incident.opened_at} />
    <p>{incident.reason}. The clock stood still while the order waited for it.</p>
  </li>
);

/** An open order waits for any LP, a claimed order for the LP that claimed it. */
function describeNextActor({ transitions, next }: z.output<typeof timelineResponse>): string {
  if (next?.waiting_for !== 'lp') return actorWords(next?.waiting_for ?? '');
  return transitions.at(-1)?.status === 'matched' ? 'an LP' : 'the LP';
}
