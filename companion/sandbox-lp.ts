import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { perform } from '../demo/program.ts';
import { TEST_RECIPIENTS } from '../src/domain/sandbox-values.ts';
import { findSandbox } from './sandbox.ts';
import { engageSandboxLps } from './sandbox-lps.ts';

/** Simulated LPs for an integrator who has none: they take the orders for test recipients, and no others. */
type Rate = [currency: string, perUsd: number];

const LOOK_EVERY_MS = 500;

const rate = (text: string, before: Rate[]): Rate[] => {
  const [, currency, perUsd] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (!currency || !perUsd) throw new InvalidArgumentError('Write a rate as UGX=3700: units for 1 USD.');
  return [...before, [currency.toUpperCase(), Number(perUsd)]];
};

const values = Object.entries(TEST_RECIPIENTS).map(
  ([recipient, { means }]) => `  ${recipient}  ${means.replaceAll('`', '')}`,
);
const { rate: rates } = new Command('npm run sandbox:lp --')
  .description('Two simulated LPs that take the orders for test recipients, and do what those stand for.')
  .option(
    '--rate <currency=number>',
    'a currency that they quote, again for each (default: KES=129.5)',
    rate,
    [],
  )
  .allowExcessArguments(false)
  .addHelpText('after', `\nTest recipients:\n${values.join('\n')}`)
  .parse()
  .opts<{ rate: Rate[] }>();

await perform('The sandbox LPs have stopped', async (program) => {
  const sandbox = await findSandbox(program);
  const { tell, show } = program;
  tell('Two simulated liquidity providers join, until Ctrl-C.');
  const lps = await engageSandboxLps(sandbox, rates.length > 0 ? rates : [['KES', 129.5]]);
  tell('They wait for orders whose recipient is one of these (docs/sandbox.md):');
  show(values.map((line) => line.trim()).join('\n'));
  tell('What they do:');
  let isAway = false;
  for (;;) {
    try {
      await lps.work();
      isAway = false;
    } catch (error) {
      // It may be started again meanwhile; what went wrong is said once, and not twice a second.
      if (!isAway) show(`Corridor does not do as it is asked, trying on: ${(error as Error).message}`);
      isAway = true;
    }
    await delay(LOOK_EVERY_MS);
  }
});
