/** SQL for a time as the API shows it: ISO 8601 in UTC, with milliseconds. `time`: an expression. */
export const isoTime = (time: string): string =>
  `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
