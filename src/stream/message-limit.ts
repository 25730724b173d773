/** Whether one more message at this time, in milliseconds of a clock that never goes back, is within a limit. */
export type MessageLimit = (now: number) => boolean;

/** So many messages in any stretch of `windowMs`; those beyond count as well. */
export function createMessageLimit(max: number, windowMs: number): MessageLimit {
  let times: number[] = [];
  return (now) => {
    // What is past the limit is never looked at, so no more than that is kept.
    times = [...times.filter((time) => time > now - windowMs), now].slice(-max - 1);
    return times.length <= max;
  };
}
