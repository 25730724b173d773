import type { Step } from './shared/step.ts';

/** The agent confirms that the fiat has arrived. */
export const confirm: Step = {};
