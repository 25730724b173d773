import { Command, Option } from 'commander';
import { runProgram } from '../dev/program.ts';
import { STORIES, type StoryName } from './stories.ts';

const storyList = Object.entries(STORIES).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
const { story, keep } = new Command('npm run demo --')
  .description('Shows an order step by step, on a running Corridor.')
  .addOption(new Option('--story <name>', 'the story').choices(Object.keys(STORIES)).default('completed'))
  .option('--keep', 'keep the story’s own Corridor running until Ctrl-C, so that you can explore it', false)
  .allowExcessArguments(false)
  .addHelpText('after', `\nStories:\n${storyList.join('\n')}`)
  .parse()
  .opts<{ story: StoryName; keep: boolean }>();

await runProgram('The demo failed', (program) => STORIES[story].run({ ...program, keep }));
