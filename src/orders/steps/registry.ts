import { bind, type Statement } from '../../db/statement.ts';
import { decide } from '../../domain/order-decision.ts';
import type { StepName } from '../../domain/order-state.ts';
import type { StepInput } from '../../domain/order-steps.ts';
import { claim } from './claim.ts';
import { CLOCK_STEPS } from './clock.ts';
import { ENDING_STEPS } from './endings.ts';
import { FIAT_STEPS } from './fiat.ts';
import { PAYMENT_STEPS } from './payment.ts';
import { commonParameters, type Step, type StepSettings, stepStatement } from './shared/step.ts';

/** Every step by its name in the table of transitions. The compiler names a step that no file has. */
export const STEPS: Record<StepName, Step> = {
  claim,
  ...FIAT_STEPS,
  ...PAYMENT_STEPS,
  ...ENDING_STEPS,
  ...CLOCK_STEPS,
};

/** Makes something for each step. */
export const forEachStep = <Made>(make: (name: StepName) => Made): Record<StepName, Made> =>
  Object.fromEntries((Object.keys(STEPS) as StepName[]).map((name) => [name, make(name)])) as Record<
    StepName,
    Made
  >;

export const STEP_STATEMENTS: Record<StepName, Statement> = forEachStep((name) =>
  stepStatement(name, STEPS[name]),
);

/**
 * Returns the statement of a step with its values. It decides again, because the workflow's decision comes through
 * Temporal. Throws if the command does not lead to this step.
 */
export function stepQuery(name: StepName, input: StepInput, settings: StepSettings) {
  const { orderId, state, command } = input;
  const decision = decide(state, command);
  if (decision.kind !== 'apply' || decision.step !== name)
    throw new Error(
      `Order ${orderId} cannot take the step ${name} for ${command.trigger} while ${state.status}: the rules decide ${JSON.stringify(decision)}`,
    );
  const own = STEPS[name].parameters?.(command, settings);
  return bind(STEP_STATEMENTS[name], { ...commonParameters(input, decision, STEPS[name]), ...own });
}
