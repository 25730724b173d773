/** The fields that are not null. A new key has no limit that null could remove, so its route refuses null. */
export const withoutNulls = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
