import { Argument, Command, InvalidArgumentError } from 'commander';
import { caller, expectStatus } from '../demo/http.ts';
import { type DemoAgent, introduceAgent } from '../demo/parties.ts';
import { perform } from '../demo/program.ts';
import type { Scene } from '../demo/stage.ts';
import { ENDINGS, type EndingName } from './endings.ts';
import { listenerOf } from './listener-note.ts';
import { engageLp, findSandbox } from './sandbox.ts';
import { openOrder, showDeliveries } from './triggered-order.ts';

/** Drives a real order to an end, on a sandbox that runs. */
interface TriggerOptions {
  amount: number;
  currency: string;
  rate: number;
  callbackUrl?: string;
  agentKey?: string;
}

const positive = (text: string): number => {
  const number = Number(text);
  if (!(number > 0 && number < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('Write a number above zero.');
  return number;
};

const catalogue = Object.entries(ENDINGS).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
const program = new Command('npm run trigger --')
  .description('Drives a real order to an end, with an LP of its own, on a Corridor that runs as a sandbox.')
  .addArgument(new Argument('<ending>', 'which').choices(Object.keys(ENDINGS)))
  .option('--amount <number>', 'what the recipient gets', positive, 6_475)
  .option('--currency <code>', 'in which currency', (text) => text.toUpperCase(), 'KES')
  .option(
    '--rate <number>',
    'units of the currency for 1 USD, of the LP that it brings along',
    positive,
    129.5,
  )
  .option('--callback-url <url>', 'where the webhooks go (default: to npm run listen, where that runs)')
  .option('--agent-key <key>', 'pays with this agent key rather than with a new one')
  .allowExcessArguments(false)
  .addHelpText('after', `\nEndings:\n${catalogue.join('\n')}`)
  .parse();
const ending = program.args[0] as EndingName;
const options = program.opts<TriggerOptions>();

await perform(`Could not bring an order to "${ending}"`, async (terminal) => {
  const sandbox = await findSandbox(terminal);
  const { scene, config } = sandbox;
  const callbackUrl = options.callbackUrl ?? (await listenerOf(config));
  const agent = await payer(scene, options.agentKey);

  scene.tell('A liquidity provider joins for this order.');
  const { amount, currency, rate } = options;
  const collateralUsd = Math.max(500, Math.ceil((amount / rate) * 1.5));
  const lp = await engageLp(sandbox, { name: 'Trigger LP', rateUsd: rate, currency, collateralUsd });

  scene.tell(`The agent pays ${amount} ${currency}.`);
  scene.show(callbackUrl ? `webhooks go to ${callbackUrl}` : 'no webhooks: npm run listen is not running');
  const order = await openOrder(scene, agent, {
    ...{ amount, currency },
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  });
  await ENDINGS[ending].bring({ scene, agent, lp, order });
  if (callbackUrl) {
    scene.tell('What the receiver of the webhooks has answered:');
    await showDeliveries(scene, agent, order.id);
  }
});

/** The agent of the key that was given, or a new one. */
async function payer(scene: Scene, key: string | undefined): Promise<DemoAgent> {
  if (key === undefined) return introduceAgent(scene);
  const call = caller(scene.baseUrl, key);
  await expectStatus(200, call('GET', '/api/v1/orders?limit=1'));
  const admin = caller(scene.baseUrl, scene.adminKey);
  const user = await expectStatus(201, admin('POST', '/api/admin/users', { name: 'Triggered payer' }));
  return { call, userId: user.id };
}
