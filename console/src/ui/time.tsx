import { formatTime } from '../format.ts';

/** A time of the service (ISO 8601) in the user's time zone. Pointing at it shows it as the API returns it. */
export const Time = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {formatTime(at)}
  </time>
);
