import type { z } from 'zod';
import type { timelineResponse } from '../../../src/api/resources/agent-orders/schemas.ts';
import { TimelineList } from './timeline.tsx';

export type TimelineShown = z.output<typeof timelineResponse>;

/** The timeline of an order: each transition, and who has to act next. */
export const OrderTimeline = ({ timeline }: { timeline: TimelineShown }) => (
  <section class="sheet">
    <h3>Timeline</h3>
    <TimelineList timeline={timeline} />
    {timeline.next === null && <p>The order has ended.</p>}
  </section>
);
