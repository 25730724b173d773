import { styleText } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import { perform } from '../demo/program.ts';
import { loadConfig } from '../src/config.ts';
import { loadSecrets } from '../src/secrets.ts';
import { type HeardWebhook, startListener } from './listener.ts';
import { answers, noteListener } from './listener-note.ts';

/** Shows every webhook that comes, and passes it on to a receiver that is being written. */
interface ListenOptions {
  forward?: string;
  host: string;
  port: number;
  secret?: string;
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

const options = new Command('npm run listen --')
  .description('Receives webhooks, verifies both of their signatures, and shows what became of each.')
  .option('--forward <url>', 'passes each on, byte for byte, and gives back what is answered there', httpUrl)
  .option('--port <number>', 'where it listens; 0 is any port that is free', within(0, 65_535), 4_242)
  .option('--host <address>', 'on which address', '127.0.0.1')
  .option(
    '--secret <secret>',
    'of the webhooks (default: WEBHOOK_SECRET, or the one that npm start has made)',
  )
  .addOption(
    new Option('--answer <status>', 'answers this itself, to see webhooks sent again: 500')
      .argParser(within(200, 599))
      .default(200)
      .conflicts('forward'),
  )
  .option('--order <id>', 'shows the webhooks of one order alone', within(1, Number.MAX_SAFE_INTEGER))
  .option('--body', 'shows the bodies, too', false)
  .allowExcessArguments(false)
  .parse()
  .opts<ListenOptions>();

await perform('Listening failed', async ({ tell, show, ending }) => {
  const config = loadConfig(process.env);
  const secret = options.secret ?? (await loadSecrets(config)).webhookSecret;
  const listener = await startListener({
    ...{ host: options.host, port: options.port, secret, answer: options.answer },
    forwardTo: options.forward,
    heard: (webhook) => {
      if (options.order !== undefined && webhook.event?.order_id !== options.order) return;
      show(inWords(webhook));
    },
  });
  ending.add(listener.close);
  ending.add(await noteListener(config, listener.url));

  tell('Listening for webhooks. Payments with this callback_url are shown here:');
  show(listener.url);
  if (options.forward) {
    show(`passed on to ${options.forward}`);
    if (!(await answers(options.forward)))
      show('where nobody listens yet: webhooks are answered 502 until somebody does');
  }
  show('In another terminal: npm run trigger -- completed');
  tell('Webhooks, until Ctrl-C:');
  await new Promise<never>(() => undefined);
});

/** One line, and one more for each thing that is wrong. */
function inWords({ at, event, body, checks, times, answered, unanswered, durationMs }: HeardWebhook): string {
  const what = event ? `order ${event.order_id}  ${event.status.padEnd(21)}` : 'no event';
  const verified = checks.map(({ kind, wrong }) =>
    wrong === null ? styleText('green', `${kind} ok`) : styleText('red', `${kind} WRONG`),
  );
  const who = options.forward && unanswered === null ? 'the receiver answered' : 'answered';
  const colour = answered < 300 ? 'green' : 'red';
  const again = times > 1 ? `  (again: time ${times})` : '';
  const outcome = `${who} ${styleText(colour, String(answered))} in ${durationMs} ms${again}`;
  return [
    [at.toISOString().slice(11, 23), what, ...verified, outcome].join('  '),
    ...(unanswered === null ? [] : [`    ${unanswered}`]),
    ...checks.flatMap(({ kind, wrong }) => (wrong === null ? [] : [`    ${kind}: ${wrong}`])),
    ...(options.body ? [`    ${body}`] : []),
  ].join('\n');
}
