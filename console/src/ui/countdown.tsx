import { now } from '../clock.ts';
import { duration, time } from '../format.ts';

const SHORT_MS = 120_000;

/** The time that is left until a deadline (ISO 8601). Not read out each second: its label is the deadline itself. */
export function Countdown({ until }: { until: string | null }) {
  if (until === null) return <span class="countdown">no deadline</span>;
  const left = Date.parse(until) - now.value;
  const tone = left <= 0 ? 'over' : left < SHORT_MS ? 'short' : '';
  return (
    <time class={`countdown ${tone}`} dateTime={until} title={time(until)}>
      {left > 0 ? duration(left) : 'time is up'}
    </time>
  );
}
