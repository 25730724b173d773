import type { Guard } from '../guard.ts';

const PIPELINING = 'test/attacks/floods/pipelining.test.ts';
const PUBLIC_READS = 'test/attacks/floods/public-reads.test.ts';

/** What a stranger cannot take from others by sending much. */
export const FLOODS: readonly Guard[] = [
  {
    name: 'floods: one request of a connection is served at a time',
    file: 'src/http/one-at-a-time.ts',
    text: 'if (!turns.isServing) {',
    without: 'if (!turns.isServing || !turns.isOver) {',
    attack: { file: PIPELINING, name: 'a connection has one request served at a time, in order' },
  },
  {
    name: 'floods: few requests of a connection wait',
    file: 'src/http/one-at-a-time.ts',
    text: 'if (turns.waiting.length < MOST_WAITING)',
    without: 'if (turns.waiting.length < 100 * MOST_WAITING)',
    attack: { file: PIPELINING, name: 'of 2,000 requests in one piece, a few wait' },
  },
  {
    name: 'floods: nothing is done for a client that has left',
    file: 'src/http/one-at-a-time.ts',
    text: '  if (!socket.writable) turns.waiting = [];\n',
    without: '',
    attack: { file: PIPELINING, name: 'the waiting requests of a client that has left are not served' },
  },
  {
    name: 'floods: a public read is computed once a second',
    file: 'src/metrics/remembered.ts',
    text: 'remembered(read, PUBLIC_MS, 0);',
    without: 'remembered(read, 0 * PUBLIC_MS, 0) && read;',
    attack: { file: PUBLIC_READS, name: '%s is computed once for all who ask within a second' },
  },
];
