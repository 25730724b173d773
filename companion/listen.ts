import { styleText } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import { runProgram } from '../dev/program.ts';
import { loadCommandConfig } from '../src/settings/config.ts';
import { runningSecret } from '../src/settings/secrets.ts';
import { webhookSecret } from '../src/settings/values.ts';
import { type ListenedWebhook, startListener } from './listener.ts';
import { acceptsConnections, recordListener } from './listener-note.ts';

interface ListenOptions {
  forward?: string;
  host: string;
  port: number;
  secret?: string;
  ownSecret?: string;
  answer: number;
  order?: number;
  body: boolean;
}

const within = (least: number, most: number) => (text: string) => {
  if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  return Number(text);
};
const httpUrl = (text: string) => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Write an address such as http://127.0.0.1:3000/webhooks.');
  return text;
};

const ownSecret = (text: string) => {
  if (!text.startsWith('whsec_') || !webhookSecret.safeParse(text).success)
    throw new InvalidArgumentError('Write the webhook_secret of your agent key: whsec_ and base64.');
  return text;
};

const options = new Command('npm run listen --')
  .description('Receives webhooks, verifies the signatures of each, and shows the response.')
  .option('--forward <url>', 'post the same bytes and headers there, and return that response', httpUrl)
  .option('--port <number>', 'port to listen on; 0 picks a free one', within(0, 65_535), 4_242)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option(
    '--secret <secret>',
    'webhook secret (default: WEBHOOK_SECRET, or the one that npm start generated)',
  )
  .option(
    '--own-secret <secret>',
    'the webhook_secret of your agent key: also checks that each webhook is signed with it',
    ownSecret,
  )
  .addOption(
    new Option('--answer <status>', 'return this status; 500 shows how webhooks are retried')
      .argParser(within(200, 599))
      .default(200)
      .conflicts('forward'),
  )
  .option('--order <id>', 'show only the webhooks of this order', within(1, Number.MAX_SAFE_INTEGER))
  .option('--body', 'show the bodies', false)
  .allowExcessArguments(false)
  .parse()
  .opts<ListenOptions>();

await runProgram('Listening failed', async ({ narrate, print, cleanup }) => {
  const config = loadCommandConfig(process.env);
  const shared = options.secret ?? (await runningSecret('webhookSecret', config)).value;
  const listener = await startListener({
    ...{ host: options.host, port: options.port, answer: options.answer },
    secrets: { shared, own: options.ownSecret },
    forwardTo: options.forward,
    onWebhook: (webhook) => {
      if (options.order !== undefined && webhook.event?.order_id !== options.order) return;
      print(describeWebhook(webhook));
    },
  });
  cleanup.add(listener.close);
  cleanup.add(await recordListener(config, listener.url));

  narrate('Listening for webhooks. Create payments with this callback_url to see theirs:');
  print(listener.url);
  if (options.forward) {
    print(`forwards to ${options.forward}`);
    if (!(await acceptsConnections(options.forward)))
      print('nothing listens there yet: until then, listen answers webhooks with 502');
  }
  print('In another terminal: npm run trigger -- completed');
  narrate('Webhooks, until Ctrl-C:');
  await new Promise<never>(() => undefined);
});

/** One line, and one more for each problem. */
function describeWebhook({
  at,
  event,
  body,
  checks,
  times,
  answered,
  unanswered,
  durationMs,
}: ListenedWebhook): string {
  const subject = event ? `order ${event.order_id}  ${event.status.padEnd(21)}` : 'not an event';
  const verified = checks.map(({ kind, wrong }) =>
    wrong === null ? styleText('green', `${kind} ok`) : styleText('red', `${kind} WRONG`),
  );
  const answer = options.forward && unanswered === null ? 'the receiver answered' : 'answered';
  const colour = answered < 300 ? 'green' : 'red';
  const again = times > 1 ? `  (attempt ${times})` : '';
  const outcome = `${answer} ${styleText(colour, String(answered))} in ${durationMs} ms${again}`;
  return [
    [at.toISOString().slice(11, 23), subject, ...verified, outcome].join('  '),
    ...(unanswered === null ? [] : [`    ${unanswered}`]),
    ...checks.flatMap(({ kind, wrong }) => (wrong === null ? [] : [`    ${kind}: ${wrong}`])),
    ...(options.body ? [`    ${body}`] : []),
  ].join('\n');
}
