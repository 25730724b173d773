import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { runProgram } from '../dev/program.ts';
import { TEST_RECIPIENTS } from '../src/domain/sandbox-values.ts';
import { findSandbox } from './sandbox.ts';
import { DEFAULT_RATE, registerSandboxLps } from './sandbox-lps.ts';
import type { Rate } from './sandbox-terms.ts';

const POLL_EVERY_MS = 500;

const rate = (text: string, before: Rate[]): Rate[] => {
  const [, currency, perUsd] = /^([A-Za-z]{3})=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (!currency || !perUsd) throw new InvalidArgumentError('Write a rate as UGX=3700: units for 1 USD.');
  return [...before, [currency.toUpperCase(), Number(perUsd)]];
};

const values = Object.entries(TEST_RECIPIENTS).map(
  ([recipient, { means }]) => `  ${recipient}  ${means.replaceAll('`', '')}`,
);
const { rate: rates } = new Command('npm run sandbox:lp --')
  .description(
    'Runs two simulated LPs. They claim orders only for test recipients, and do what the recipient stands for.',
  )
  .option('--rate <currency=number>', 'quote this currency; repeatable (default: KES=129.5)', rate, [])
  .allowExcessArguments(false)
  .addHelpText('after', `\nTest recipients:\n${values.join('\n')}`)
  .parse()
  .opts<{ rate: Rate[] }>();

await runProgram('The simulated LPs stopped', async (program) => {
  const sandbox = await findSandbox(program);
  const { narrate, print } = program;
  narrate('Two simulated liquidity providers register. They stay until Ctrl-C.');
  const lps = await registerSandboxLps(sandbox, rates.length > 0 ? rates : [DEFAULT_RATE]);
  narrate('They wait for orders to these recipients (docs/sandbox.md):');
  print(values.map((line) => line.trim()).join('\n'));
  narrate('Their actions:');
  let isFailing = false;
  for (;;) {
    try {
      await lps.work();
      isFailing = false;
    } catch (error) {
      // Corridor may be restarting. The first failure is printed, not one every half second.
      if (!isFailing) print(`A call to Corridor failed; retrying: ${(error as Error).message}`);
      isFailing = true;
    }
    await delay(POLL_EVERY_MS);
  }
});
