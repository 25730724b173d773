import SequencerModule from '@jest/test-sequencer';

/** A CommonJS package: depending on how it is compiled, its class is the default export or a property of it. */
const Sequencer = SequencerModule.default ?? SequencerModule;

/** Folders whose files wait for real processes, clocks and browsers. The others take seconds. */
const SLOW_FOLDERS = ['docs', 'faults', 'e2e', 'load', 'long', 'workflow', 'console'];

/**
 * Starts slow files first, so that the run does not end with one slow file and idle workers. Jest knows the duration of a
 * file only from an earlier run. In a fresh clone the folder decides.
 */
export default class SlowestFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }) => {
      const index = SLOW_FOLDERS.findIndex((folder) => path.includes(`/test/${folder}/`));
      return index === -1 ? SLOW_FOLDERS.length : index;
    };
    return [...sorted].sort((a, b) => rank(a) - rank(b));
  }
}
