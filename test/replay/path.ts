import type { StepName } from '../../src/domain/order-state.ts';
import type { TestCorridor } from '../support/corridor.ts';
import type { Agent } from '../support/parties.ts';
import type { ENDED } from './landmarks.ts';

/** A path through the state machine, on a Corridor with these settings. `take` returns the order's id. */
export interface Path {
  env?: Record<string, string>;
  take: (corridor: TestCorridor, agent: Agent) => Promise<number>;
  /** The last landmark of the history (`landmarks.ts`). Before it the history is incomplete. */
  last: StepName | 'answer' | typeof ENDED;
}
