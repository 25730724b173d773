import { Command, Option } from 'commander';
import { runProgram } from '../dev/program.ts';
import { STORIES, type StoryName } from './stories.ts';

const storyList = Object.entries(STORIES).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
const args = process.argv.slice(2);
const asksForHelp = args[0] === 'help' || args[0] === 'list';
const { story, exit } = new Command('npm run demo --')
  .description('Shows an order step by step, on the running Corridor or on one of its own.')
  .addOption(new Option('--story <name>', 'the story').choices(Object.keys(STORIES)).default('completed'))
  .option('--exit', 'end the demo’s own Corridor after the story, instead of at Ctrl-C', false)
  .allowExcessArguments(false)
  .addHelpText('after', `\nStories:\n${storyList.join('\n')}`)
  .parse(asksForHelp ? ['--help'] : args, { from: 'user' })
  .opts<{ story: StoryName; exit: boolean }>();

await runProgram('The demo failed', (program) => STORIES[story].run({ ...program, exit }));
