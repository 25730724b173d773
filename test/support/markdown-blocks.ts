import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './client-package.ts';

/** A shell block of a Markdown page, with the attributes of its info string. */
export interface ShellBlock {
  /** The page and the line of its fence. */
  place: string;
  text: string;
  /** Why the block cannot run in a test: `skip=REASON`. */
  skip: string | undefined;
  /** What a program that keeps running prints when it is ready: `until="TEXT"`. */
  until: string | undefined;
  /** The block runs the demo. */
  isDemo: boolean;
  /** The output that the page shows for the block: the lines of the following `text expected` block. */
  expected: string[];
}

const FENCE = /^```(\S*) *(.*)\n([\s\S]*?)^```$/gm;
const SHELLS = ['bash', 'sh', 'shell', 'zsh', 'console'];

/** The shell blocks of a page, in order. Throws on an unknown info string. */
export function shellBlocksOf(page: string): ShellBlock[] {
  const source = readFileSync(join(ROOT, page), 'utf8');
  const blocks: ShellBlock[] = [];
  for (const { 1: language = '', 2: info = '', 3: text = '', index } of source.matchAll(FENCE)) {
    const place = `${page}:${source.slice(0, index).split('\n').length}`;
    if (SHELLS.includes(language)) blocks.push({ place, text, ...attributesOf(info, place), expected: [] });
    else if (language === 'text' && info === 'expected') {
      const block = blocks.at(-1);
      if (!block) throw new Error(`${place} shows output without a block before it`);
      block.expected.push(...text.split('\n').filter(Boolean));
    }
  }
  return blocks;
}

function attributesOf(info: string, place: string): Pick<ShellBlock, 'skip' | 'until' | 'isDemo'> {
  const [all, skip, until, demo] = /^(?:skip=([a-z-]+)|until="([^"]+)"|(demo))?$/.exec(info) ?? [];
  if (all === undefined) throw new Error(`${place} has an unknown info string: ${info}`);
  return { skip, until, isDemo: demo !== undefined };
}

/**
 * Whether output contains a line that a page shows. Ids, keys and times differ from run to run, so any number
 * matches any other. `…` matches any text.
 */
export function showsLine(output: string, line: string): boolean {
  const pattern = line
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+'))
    .join('.*');
  return new RegExp(`^\\s*${pattern}\\s*$`, 'm').test(output);
}
