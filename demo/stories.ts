import { completedStory } from './completed-story.ts';
import { disputeStory } from './dispute-story.ts';
import { runOnEvm } from './evm-story.ts';
import { EXPIRY_SETTINGS, expiryStory } from './expiry-story.ts';
import { NO_SHOW_SETTINGS, noShowStory } from './no-show-story.ts';
import { onAnyCorridor, onOwnCorridor, type RunStory } from './story-runner.ts';

interface Story {
  about: string;
  run: RunStory;
}

/** The stories of `npm run demo`, by name. */
export const STORIES = {
  completed: {
    about: 'two LPs race for an order; the winner pays it out and is paid',
    run: onAnyCorridor(completedStory),
  },
  dispute: {
    about: 'agent and LP disagree whether the fiat was sent; an admin decides',
    run: onAnyCorridor(disputeStory),
  },
  'no-show': {
    about: 'one LP misses its deadline, one releases the order, a third pays it out',
    run: onOwnCorridor(NO_SHOW_SETTINGS, noShowStory),
  },
  expiry: {
    about: 'no LP claims: one order expires, an admin extends another',
    run: onOwnCorridor(EXPIRY_SETTINGS, expiryStory),
  },
  evm: {
    about: 'a payer underpays and then pays in full, on a real EVM chain on this machine',
    run: runOnEvm,
  },
} satisfies Record<string, Story>;
export type StoryName = keyof typeof STORIES;
