import { TimelineList } from '../ui/timeline.tsx';
import type { TimelineShown } from './order-resource.ts';

/** Who did what to an order, when and why, and whom it waits for. */
export const Timeline = ({ timeline }: { timeline: TimelineShown }) => (
  <section class="sheet">
    <h3>Timeline</h3>
    <TimelineList timeline={timeline} />
    {timeline.next === null && <p>It has ended.</p>}
  </section>
);
