/** Counts a message at a time of a monotonic clock, in milliseconds. Returns whether the message is within the limit. */
export type MessageLimit = (now: number) => boolean;

/** Allows `max` messages in any `windowMs`. Messages over the limit count as well. */
export function createMessageLimit(max: number, windowMs: number): MessageLimit {
  let times: number[] = [];
  return (now) => {
    // `max + 1` times are enough to decide, so this drops older ones.
    times = [...times.filter((time) => time > now - windowMs), now].slice(-max - 1);
    return times.length <= max;
  };
}
