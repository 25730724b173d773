import type { Step } from './shared/step.ts';

/** The LP has sent the fiat. */
export const markFiatSent: Step = {};
