import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { projectFiles } from '../support/project-files.ts';

/**
 * Words that no text of this repository needs, and what to write instead. The test reads comments, docs, test names and
 * all other texts. `terms.test.ts` reads names.
 */
const REPLACED: [words: string[], write: string][] = [
  [['tell', 'tells', 'told', 'telling'], 'report, send, return, log or show'],
  [
    ['whoever', 'whomever', 'whosoever', 'who calls', 'who asks'],
    'the caller, the LP, the agent or the client',
  ],
  [['hindrance', 'hindrances'], 'blocker'],
  [['rehearse', 'rehearses', 'rehearsed', 'rehearsal'], 'dry run'],
  [['gathers', 'gathered'], 'batch or collect'],
  [['patient activity', 'patient activities', 'patiently', 'patience'], 'retry or timeout'],
  [['swift peer', 'swift peers'], 'recently fast endpoint'],
  [['pulse', 'pulses'], 'service heartbeat'],
  [['belief', 'beliefs', 'believes', 'believed'], 'observed state'],
  [['lets down', 'let down', 'letting down'], 'failed claim'],
  [['take back', 'takes back', 'took back', 'taken back', 'taking back'], 'reoffer'],
  [['deed', 'deeds'], 'action'],
  [['theatre', 'contestant', 'contestants'], 'runner or alternative'],
  [['anew'], 'again'],
  [['amiss'], 'wrong'],
  [['as yet'], 'yet'],
  [['in vain', 'for want of', 'lest'], 'what happens, or because'],
  [['likewise', 'forthwith', 'henceforth', 'nought'], 'also, now, from now on or nothing'],
  [['thereof', 'therein', 'whereof', 'wherein', 'whereby', 'whence'], 'of it, in it or by which'],
];
const REPLACEMENTS = new Map(REPLACED.flatMap(([words, write]) => words.map((word) => [word, write])));

/** A phrase may continue on the next line of a comment. */
const SPACE = String.raw`\s+(?:(?:\*|//|--)\s+)?`;
const PATTERN = new RegExp(
  `\\b(?:${[...REPLACEMENTS.keys()].map((words) => words.replaceAll(' ', SPACE)).join('|')})\\b`,
  'gi',
);

const RULES = ['test/unit/prose.test.ts', 'test/unit/terms.test.ts'];
const FILES = projectFiles(['md', 'ts', 'tsx', 'js', 'sql']).filter((file) => !RULES.includes(file));

function replacedIn(text: string): string[] {
  return [...text.matchAll(PATTERN)].map(({ 0: match, index }) => {
    const words = match.replace(new RegExp(SPACE, 'g'), ' ').toLowerCase();
    const line = text.slice(0, index).split('\n').length;
    return `${line}: "${words}": write ${REPLACEMENTS.get(words)}`;
  });
}

describe('a replaced word', () => {
  test('is found in any case, and over two lines of a comment', () => {
    expect(replacedIn('Whoever waits')).toEqual([
      '1: "whoever": write the caller, the LP, the agent or the client',
    ]);
    expect(replacedIn('\n/**\n * Orders are taken\n * back.\n */')).toEqual([
      '3: "taken back": write reoffer',
    ]);
    expect(replacedIn('// It is in\n// vain.')).toHaveLength(1);
    expect(replacedIn('Satellites intellectually foretold Yet asleep')).toEqual([]);
  });

  test('is in no comment, document or other text', () => {
    const found = FILES.flatMap((file) =>
      replacedIn(readFileSync(file, 'utf8')).map((place) => `${file}:${place}`),
    );
    expect(found).toEqual([]);
  });
});
