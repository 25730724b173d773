import { createRandom, type Random } from '../support/random.ts';
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
/** What a step wants if no order allows its first intention, and so on. */
const ALTERNATIVES = 4;

/** One step of the plan: what somebody wants, the most wanted first, and the random values with which it chooses. */
interface PlannedStep {
  intentions: Intention[];
  random: Random;
}

/** Each step has random values of its own, so the plan depends on the seed alone and not on what the service answers. */
export function plannedStep(seed: number, step: number): PlannedStep {
  const random = createRandom(seed ^ Math.imul(step + 1, 0x9e3779b1));
  const intentions = Array.from({ length: ALTERNATIVES }, () =>
    random.weighted(INTENTIONS, ({ weight }) => weight),
  );
  return { intentions, random };
}

/** The first intention that an order allows at the moment, as an action. Undefined: no order allows any. */
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
