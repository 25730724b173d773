import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Round } from './comparison.ts';
import type { Size } from './measures.ts';
import { PART_NAMES, type PartName } from './parts/names.ts';
import type { PartSize } from './parts/part.ts';
import type { PartRound } from './parts/parts.ts';

/** Code, machine and sizes of a run. Runs can be combined only if these are the same. */
export interface Conditions {
  commit: string;
  machine: string;
  size: Size;
  partSize: PartSize;
}

export interface Findings {
  rounds: Round[];
  parts: PartRound[];
}

/** One run, as `--json` writes it. */
export interface BenchRun extends Conditions, Findings {}

const ROOT = new URL('..', import.meta.url);
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const CODE = [
  'src',
  'workflows',
  'activities',
  'bench',
  'dev',
  'test/support',
  'package-lock.json',
  ':!bench/results',
];

/** The commit and the machine. */
export function currentPlace(): Pick<Conditions, 'commit' | 'machine'> {
  const changed = git('status', '--porcelain', '--', ...CODE) !== '';
  return {
    commit: git('rev-parse', '--short=10', 'HEAD') + (changed ? ' with changes' : ''),
    machine: `${availableParallelism()} cores, Node ${process.version}, ${process.platform}-${process.arch}`,
  };
}

export const currentConditions = (size: Size, partSize: PartSize): Conditions => ({
  ...currentPlace(),
  size,
  partSize,
});

/** The line before measured tables. */
export const measuredAt = ({ commit, machine }: Pick<Conditions, 'commit' | 'machine'>): string =>
  `Measured at commit ${commit} (${machine}).`;

const read = (file: string): BenchRun => JSON.parse(readFileSync(file, 'utf8'));

/** The conditions of a run that `--json` wrote. */
export function readConditions(file: string): Conditions {
  const { commit, machine, size, partSize } = read(file);
  return { commit, machine, size, partSize };
}

/** The rounds of earlier runs. Throws if code, machine or sizes of one differ. */
export function readRounds(files: readonly string[], now: Conditions): Findings {
  const all = files.map((file) => {
    const { rounds, parts, ...then } = read(file);
    for (const [name, value] of Object.entries(now)) {
      const other = then[name as keyof Conditions];
      if (isDeepStrictEqual(other, value)) continue;
      const [found, wanted] = [other, value].map((one) => JSON.stringify(one));
      throw new RangeError(`The ${name} of ${file} is ${found}, but this run has ${wanted}`);
    }
    return { rounds, parts };
  });
  return { rounds: all.flatMap(({ rounds }) => rounds), parts: all.flatMap(({ parts }) => parts) };
}

/** The parts that no round has measured. */
export const unmeasured = (parts: readonly PartRound[]): PartName[] =>
  PART_NAMES.filter((name) => parts.every((round) => round[name] === undefined));
