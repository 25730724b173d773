import { Argument, Command, InvalidArgumentError } from 'commander';
import { createAgent, type DemoAgent } from '../dev/actors.ts';
import type { Context } from '../dev/context.ts';
import { createCallers, expectStatus } from '../dev/http-client.ts';
import { runProgram } from '../dev/program.ts';
import { ENDINGS, type EndingName } from './endings.ts';
import { findListener } from './listener-note.ts';
import { addLp, findSandbox } from './sandbox.ts';
import { openOrder, showDeliveries } from './triggered-order.ts';

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

const endingList = Object.entries(ENDINGS).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
const program = new Command('npm run trigger --')
  .description('Drives a real order to an ending, with its own LP, on a Corridor that runs as a sandbox.')
  .addArgument(new Argument('<ending>', 'the ending').choices(Object.keys(ENDINGS)))
  .option('--amount <number>', 'amount that the recipient gets', positive, 6_475)
  .option('--currency <code>', 'currency of that amount', (text) => text.toUpperCase(), 'KES')
  .option('--rate <number>', 'rate of its LP: units of the currency for 1 USD', positive, 129.5)
  .option('--callback-url <url>', 'receiver of the webhooks (default: npm run listen, if it runs)')
  .option('--agent-key <key>', 'pay with this agent key instead of a new one')
  .allowExcessArguments(false)
  .addHelpText('after', `\nEndings:\n${endingList.join('\n')}`)
  .parse();
const ending = program.args[0] as EndingName;
const options = program.opts<TriggerOptions>();

await runProgram(`Could not drive an order to "${ending}"`, async (terminal) => {
  const sandbox = await findSandbox(terminal);
  const { context, config } = sandbox;
  const callbackUrl = options.callbackUrl ?? (await findListener(config));
  const agent = await payer(context, options.agentKey);

  context.narrate('A liquidity provider registers for this order.');
  const { amount, currency, rate } = options;
  const collateralUsd = Math.max(500, Math.ceil((amount / rate) * 1.5));
  const lp = await addLp(sandbox, { name: 'Trigger LP', rateUsd: rate, currency, collateralUsd });

  context.narrate(`The agent creates a payment of ${amount} ${currency}.`);
  context.print(callbackUrl ? `webhooks go to ${callbackUrl}` : 'no webhooks: npm run listen is not running');
  const order = await openOrder(context, agent, {
    ...{ amount, currency },
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  });
  await ENDINGS[ending].run({ context, agent, lp, order });
  if (callbackUrl) {
    context.narrate('The responses of the webhook receiver:');
    await showDeliveries(context, agent, order.id);
  }
});

/** A new key says who has made it, and ends by itself. Until then an order that goes on, such as a dispute, needs it. */
function newKey() {
  const expiresAt = new Date(Date.now() + 24 * 3_600_000).toISOString();
  return { name: 'npm run trigger (ends after a day)', expiresAt };
}

/** The agent of the given key, or a new one. */
async function payer(context: Context, key: string | undefined): Promise<DemoAgent> {
  if (key === undefined) return createAgent(context, newKey());
  const { admin, as } = createCallers(context.baseUrl, context.adminKey, context.onWait);
  const call = as(key);
  await expectStatus(200, call('GET', '/api/v1/orders?limit=1'));
  const user = await expectStatus(201, admin('POST', '/api/admin/users', { name: 'Triggered payer' }));
  return { call, userId: user.id };
}
