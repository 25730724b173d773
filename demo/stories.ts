import { completedStory } from './completed-story.ts';
import { disputeStory } from './dispute-story.ts';
import { playOnEvm } from './evm-story.ts';
import { EXPIRY_SETTINGS, expiryStory } from './expiry-story.ts';
import { NO_SHOW_SETTINGS, noShowStory } from './no-show-story.ts';
import { onOwnCorridor, onRunningCorridor, type Play } from './theatre.ts';

interface Story {
  about: string;
  play: Play;
}

/** Every story, by the name that it is asked for. */
export const STORIES = {
  completed: {
    about: 'two LPs race for an order, and it is paid',
    play: onRunningCorridor(completedStory),
  },
  dispute: {
    about: 'agent and LP disagree about the fiat, and an admin decides',
    play: onRunningCorridor(disputeStory),
  },
  'no-show': {
    about: 'one LP is never heard of again, one gives the order back, a third pays',
    play: onOwnCorridor(NO_SHOW_SETTINGS, noShowStory),
  },
  expiry: {
    about: 'nobody claims: one order runs out of time, another is given more',
    play: onOwnCorridor(EXPIRY_SETTINGS, expiryStory),
  },
  evm: {
    about: 'a payer underpays, and then pays, on a real EVM chain on this machine',
    play: playOnEvm,
  },
} satisfies Record<string, Story>;
export type StoryName = keyof typeof STORIES;
