import { now } from '../clock.ts';
import { formatDuration, formatTime } from '../format.ts';

const WARN_BELOW_MS = 120_000;

/** The time left until a deadline (ISO 8601). Screen readers read the deadline, which does not change each second. */
export function Countdown({
  until,
  warnBelowMs = WARN_BELOW_MS,
  isStopped = false,
}: {
  until: string | null;
  warnBelowMs?: number;
  /** An incident has stopped the clock, so the deadline will move. */
  isStopped?: boolean;
}) {
  if (isStopped) return <span class="countdown">clock stopped</span>;
  if (until === null) return <span class="countdown">no deadline</span>;
  const left = Date.parse(until) - now.value;
  const tone = left <= 0 ? 'over' : left < warnBelowMs ? 'short' : '';
  return (
    <time class={`countdown ${tone}`} dateTime={until} title={formatTime(until)}>
      {left > 0 ? formatDuration(left) : 'time is up'}
    </time>
  );
}
