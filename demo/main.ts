import { constants } from 'node:os';
import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { StartupError } from '../src/embedded/free-port.ts';
import { createEnding } from './ending.ts';
import { STORIES, type StoryName } from './stories.ts';

/** Tells the story of an order, line by line, on a Corridor that runs. */
const catalogue = Object.entries(STORIES).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
const { story, keep } = new Command('npm run demo --')
  .description('Tells the story of an order, line by line, on a Corridor that runs.')
  .addOption(new Option('--story <name>', 'which').choices(Object.keys(STORIES)).default('completed'))
  .option('--keep', 'leaves a Corridor of the story’s own running until Ctrl-C, to look around in', false)
  .allowExcessArguments(false)
  .addHelpText('after', `\nStories:\n${catalogue.join('\n')}`)
  .parse()
  .opts<{ story: StoryName; keep: boolean }>();

const complain = (line: string) => process.stderr.write(`${line}\n`);
const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = createEnding(complain);
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(signal));
// Nobody listens any more, as when a pager is closed.
process.stdout.on('error', () => void leave('SIGPIPE'));

try {
  await STORIES[story].play({
    tell: (sentence) => say(`\n${styleText('bold', sentence)}`),
    show: (lines) => say(lines.replace(/^/gm, '  ')),
    ending,
    keep,
  });
} catch (error) {
  // What fails because everything is being stopped is no news.
  if (!interrupted) {
    complain(error instanceof StartupError ? error.message : `The demo failed: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
await ending.come();

async function leave(signal: NodeJS.Signals): Promise<void> {
  interrupted = true;
  await ending.come();
  process.exit(128 + constants.signals[signal]);
}
