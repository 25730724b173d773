/** When a key ends, and where it is accepted: options of the commands that make or change one. `none` removes a limit. */
export const KEY_LIMITS = {
  '--expires <time>': 'when the key ends, such as 2027-01-31, or none',
  '--allowed-ips <list...>': 'addresses and networks from which the key is accepted, or none',
};

/** The fields of a request in which null removes what `none` removes as an option; undefined keeps it. */
export const nullForNone = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, String(value) === 'none' ? null : value]),
  );

/** A number of seconds as an overlap, or a duration. */
export const overlapBody = ({ overlap }: { overlap: string }) => ({
  overlap: /^\d+$/.test(overlap) ? Number(overlap) : overlap,
});

/** Whether a change names no field. */
export const changesNothing = (fields: object): boolean =>
  Object.values(fields).every((value) => value === undefined);
