import { decimal } from './money.ts';

/** How far an LP's rate may be from the reference: a tenth. What is further off is a slip of the decimal point. */
const MAX_DEVIATION = '0.1';

/** Whether a rate (units per USD) is further from the reference than LPs may be. */
export const isOffReference = (rate: string, reference: string): boolean =>
  decimal(rate).minus(reference).abs().gt(decimal(reference).mul(MAX_DEVIATION));
