import { Writable } from 'node:stream';
import type { Terminal } from '../../src/cli/terminal.ts';

/** What a command has printed, and how it ended. */
export interface Printed {
  exit: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of this project in the test's process. `typed`: what a person types; undefined: no person is there. */
export async function onTerminal(
  command: (terminal: Terminal) => Promise<number>,
  typed?: string,
): Promise<Printed> {
  const [out, err] = [capture(), capture()];
  const ask = typed === undefined ? undefined : async () => typed;
  const exit = await command({ out: out.stream, err: err.stream, ask });
  return { exit, stdout: out.text(), stderr: err.text() };
}

function capture() {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write: (part, _, done) => {
      text += part;
      done();
    },
  });
  return { stream, text: () => text };
}
