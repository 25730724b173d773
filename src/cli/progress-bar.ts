import type { Terminal } from './terminal.ts';

/** Where a bar is drawn. */
type Output = Pick<Terminal['err'], 'isTTY' | 'write'>;

export interface ProgressBar {
  show: (done: number, all: number) => void;
  end: () => void;
}

const WIDTH = 30;
/** Percent between two lines where a bar cannot be redrawn. */
const STEP = 10;

/** A bar on a terminal; elsewhere a line for every tenth. */
export function createProgressBar(output: Output): ProgressBar {
  let lastLine = -1;
  return {
    show: (done, all) => {
      const fraction = all === 0 ? 1 : done / all;
      if (output.isTTY) {
        output.write(`\r${barText(fraction)} ${done} of ${all}`);
        return;
      }
      const line = Math.floor((fraction * 100) / STEP);
      if (line === lastLine) return;
      lastLine = line;
      output.write(`${done} of ${all}\n`);
    },
    end: () => {
      if (output.isTTY) output.write('\n');
    },
  };
}

/** `fraction`: from 0 to 1. */
export function barText(fraction: number): string {
  const full = Math.round(fraction * WIDTH);
  return `[${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}] ${Math.floor(fraction * 100)} %`;
}
