import { Command, Option } from 'commander';
import { perform } from './program.ts';
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

await perform('The demo failed', (program) => STORIES[story].play({ ...program, keep }));
