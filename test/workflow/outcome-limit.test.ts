import { expect, test } from '@jest/globals';
import { OUTCOME_TIMEOUTS } from '../../src/orders/attempt-command.ts';
import { TEMPORAL_TIMEOUTS } from '../../src/temporal/start-options.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({
  timeouts: { ...OUTCOME_TIMEOUTS, ...TEMPORAL_TIMEOUTS },
  worker: false,
});

test('an installation answers a step that no worker carries out after four seconds, and the step is safe to repeat', async () => {
  expect(corridor.shared.timeouts).toEqual({ outcomeMs: 4_000, workflowTaskMs: 3_000, callMs: 2_000 });
  const [agent, lp] = [await corridor.newAgent(), await corridor.newLp()];
  const id = await agent.newOrder();
  const { status, headers, body } = await lp.claim(id);
  expect([status, headers.get('retry-after')]).toEqual([503, '2']);
  expect(body.error).toMatch(/You can safely repeat the same call/);
  expect(await agent.statusOf(id)).toBe('matched');
});
