/**
 * A plain decimal string as a whole number of units of 10^-places. Uses integers instead of decimal.js, so that the
 * tests do not depend on the arithmetic that they check.
 */
export function units(text: string, places: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`not a plain decimal string: ${text}`);
  if (fraction.length > places) throw new Error(`${text} has more than ${places} digits after the point`);
  return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
}

/** The reverse of `units`, for amounts that are not negative. */
export function plain(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
