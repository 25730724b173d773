import { createRandom, type Random } from '../../test/support/random.ts';
import type { Action, Intention } from './actions.ts';
import { DEPOSITORS } from './depositors.ts';
import { DISHONEST_AGENTS } from './dishonest-agents.ts';
import { DISHONEST_LPS } from './dishonest-lps.ts';
import { HONEST } from './honest.ts';
import { INTRUDERS } from './intruders.ts';
import { OPERATORS } from './operators.ts';
import type { View } from './view.ts';

const INTENTIONS: Intention[] = [
  ...HONEST,
  ...DISHONEST_AGENTS,
  ...DISHONEST_LPS,
  ...DEPOSITORS,
  ...INTRUDERS,
  ...OPERATORS,
];
/** The number of intentions of a step. If no order allows the first one, the step tries the next one. */
const ALTERNATIVES = 4;

/** A step of the plan: its intentions in order of preference, and the random values for its choices. */
interface PlannedStep {
  intentions: Intention[];
  random: Random;
}

/** Each step has its own random values, so the plan depends only on the seed and not on the service's responses. */
export function plannedStep(seed: number, step: number): PlannedStep {
  const random = createRandom(seed ^ Math.imul(step + 1, 0x9e3779b1));
  const intentions = Array.from({ length: ALTERNATIVES }, () =>
    random.weighted(INTENTIONS, ({ weight }) => weight),
  );
  return { intentions, random };
}

/** Returns the action of the first intention that an order allows now. Undefined: no order allows any of them. */
export function chooseAction(
  { intentions, random }: PlannedStep,
  view: View,
): { what: string; action: Action } | undefined {
  for (const { what, choose } of intentions) {
    const action = choose(random, view);
    if (action) return { what, action };
  }
  return undefined;
}
