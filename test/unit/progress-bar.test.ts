import { expect, test } from '@jest/globals';
import { barText, createProgressBar } from '../../src/cli/progress-bar.ts';

function shown(isTTY: boolean, progress: [done: number, all: number][]): string {
  let text = '';
  const write = (part: unknown) => {
    text += part;
    return true;
  };
  const bar = createProgressBar({ isTTY, write });
  for (const [done, all] of progress) bar.show(done, all);
  bar.end();
  return text;
}

test('a terminal shows a bar that is redrawn', () => {
  expect(
    shown(true, [
      [0, 4],
      [2, 4],
      [4, 4],
    ]),
  ).toBe(`\r${barText(0)} 0 of 4\r${barText(0.5)} 2 of 4\r${barText(1)} 4 of 4\n`);
  expect(barText(0.5)).toBe(`[${'█'.repeat(15)}${'░'.repeat(15)}] 50 %`);
});

test('elsewhere each tenth is a line', () => {
  expect(
    shown(false, [
      [0, 100],
      [3, 100],
      [12, 100],
      [19, 100],
      [100, 100],
    ]),
  ).toBe('0 of 100\n12 of 100\n100 of 100\n');
  expect(shown(false, [[0, 0]])).toBe('0 of 0\n');
});
