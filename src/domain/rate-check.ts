import { decimal } from './money.ts';

/** An LP's rate may differ from the reference by a tenth. A larger difference is most likely a misplaced decimal point. */
export const MAX_DEVIATION = '0.1';

/** How long an LP may let a rate hold, in milliseconds. */
export const MAX_RATE_VALIDITY_MS = 86_400_000;

/** Whether a rate (units per USD) differs too much from the reference. */
export const isOffReference = (rate: string, reference: string): boolean =>
  decimal(rate).minus(reference).abs().gt(decimal(reference).mul(MAX_DEVIATION));
