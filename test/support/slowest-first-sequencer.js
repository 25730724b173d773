import SequencerModule from '@jest/test-sequencer';

/** A CommonJS package: its class is a property of its default export where it is compiled so. */
const Sequencer = SequencerModule.default ?? SequencerModule;

/** Folders whose files wait for real processes, clocks and browsers; the rest takes seconds. */
const SLOW_FOLDERS = ['docs', 'faults', 'e2e', 'load', 'long', 'workflow', 'console'];

/**
 * Starts slow files first, so that the run does not end with one slow file and idle workers. Jest knows how long a file
 * took only if it has run before. In a fresh clone the folder decides.
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
