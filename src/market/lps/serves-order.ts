/**
 * SQL conditions on an LP's terms: a row of `lp_term`, or of the view `lp_rate`, which has only the terms that hold now.
 */

export const isWithinMinimum = (terms: string, amount: string): string => `${amount} >= ${terms}.min_fiat`;
export const isWithinMaximum = (terms: string, amount: string): string =>
  `${amount} <= coalesce(${terms}.max_fiat, ${amount})`;
export const coversAmount = (terms: string, amount: string): string =>
  `${amount} <= coalesce(${terms}.float_available, ${amount})`;

/** The terms take an order of this amount of fiat, and the float covers it. */
export const takesAmount = (terms: string, amount: string): string =>
  [isWithinMinimum, isWithinMaximum, coversAmount].map((holds) => holds(terms, amount)).join(' and ');

/** The terms are of the order's corridor. */
export const isOfCorridor = (terms: string, order: string): string =>
  `${terms}.currency = ${order}.currency and ${terms}.method = ${order}.corridor_method`;

/** The terms are of the order's corridor and take its amount. */
export const servesOrder = (terms: string, order: string): string =>
  `${isOfCorridor(terms, order)}
      and ${takesAmount(terms, `${order}.amount_fiat`)}`;

/**
 * Corridor offers the order to the LP of the terms: the LP wants orders of the corridor now, and its terms take this
 * one. An expired rate does not matter, because the LP itself decides whether to claim.
 */
export const isOfferedUnder = (terms: string, order: string): string =>
  `${terms}.quoting and ${servesOrder(terms, order)}`;
