import type { Command } from '../../../domain/order-commands.ts';
import { expectTrigger, type Step } from './step.ts';

/** An admin ends a dispute. `$slashUsd`: the part of the order's locked collateral that the LP loses. */
export const RESOLUTION = {
  unmet: 'slash_too_high',
  parameters: (command: Command) => {
    const { slashUsd } = expectTrigger(command, 'resolve');
    return { slashUsd };
  },
  hasRequestNote: true,
} satisfies Step;
