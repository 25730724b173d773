import { TimelineList } from '../ui/timeline.tsx';
import type { TimelineShown } from './order-resource.ts';

/** The timeline of an order: each transition, and who has to act next. */
export const Timeline = ({ timeline }: { timeline: TimelineShown }) => (
  <section class="sheet">
    <h3>Timeline</h3>
    <TimelineList timeline={timeline} />
    {timeline.next === null && <p>The order has ended.</p>}
  </section>
);
