import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';

const style = readFileSync('console/src/styles/base.css', 'utf8');
const colours = new Map(
  [...style.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** WCAG 2.2: relative luminance. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (a: string, b: string): number => {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
};

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  test.each([
    ['--text', '--ground'],
    ['--text', '--sheet'],
    ['--quiet', '--ground'],
    ['--quiet', '--sheet'],
    ['--main', '--ground'],
    ['--main', '--sheet'],
    ['--on-main', '--main'],
    ['--good', '--good-ground'],
    ['--busy', '--busy-ground'],
    ['--warn', '--warn-ground'],
    ['--bad', '--bad-ground'],
    ['--good', '--sheet'],
    ['--warn', '--sheet'],
    ['--bad', '--sheet'],
  ])('%s can be read on %s', (text, ground) => {
    const [a, b] = [colours.get(text)?.[scheme], colours.get(ground)?.[scheme]];
    if (!a || !b) throw new Error(`no colour ${text} or ${ground}`);
    expect(contrast(a, b)).toBeGreaterThanOrEqual(4.5);
  });
});
