import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Round } from './comparison.ts';
import type { Size } from './measures.ts';
import { PART_NAMES, type PartName } from './parts/names.ts';
import type { PartSize } from './parts/part.ts';
import type { PartRound } from './parts/parts.ts';

/** What was measured, of which code and on what: figures of two of these are only put together where both are the same. */
export interface Circumstances {
  commit: string;
  machine: string;
  size: Size;
  partSize: PartSize;
}

/** What was found, by round. */
export interface Findings {
  rounds: Round[];
  parts: PartRound[];
}

/** All of one run, as `--json` writes it. */
export interface Sitting extends Circumstances, Findings {}

const ROOT = new URL('..', import.meta.url);
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const CODE = ['src', 'workflows', 'activities', 'bench', 'demo', 'test/support', 'package-lock.json'];

export function circumstances(size: Size, partSize: PartSize): Circumstances {
  const changed = git('status', '--porcelain', '--', ...CODE) !== '';
  return {
    commit: git('rev-parse', '--short=10', 'HEAD') + (changed ? ' with changes' : ''),
    machine: `${availableParallelism()} cores, Node ${process.version}, ${process.platform}-${process.arch}`,
    size,
    partSize,
  };
}

const read = (file: string): Sitting => JSON.parse(readFileSync(file, 'utf8'));

/** Of what an earlier run wrote. */
export function circumstancesOf(file: string): Circumstances {
  const { commit, machine, size, partSize } = read(file);
  return { commit, machine, size, partSize };
}

/** What earlier runs wrote. Throws for one of other code, of another machine, or of another size. */
export function earlier(files: readonly string[], now: Circumstances): Findings {
  const all = files.map((file) => {
    const { rounds, parts, ...then } = read(file);
    for (const [name, value] of Object.entries(now)) {
      const other = then[name as keyof Circumstances];
      if (isDeepStrictEqual(other, value)) continue;
      const [found, wanted] = [other, value].map((one) => JSON.stringify(one));
      throw new RangeError(`The ${name} of ${file} is ${found}, and not ${wanted} as that of this run`);
    }
    return { rounds, parts };
  });
  return { rounds: all.flatMap(({ rounds }) => rounds), parts: all.flatMap(({ parts }) => parts) };
}

/** Parts that no round has measured. */
export const unmeasured = (parts: readonly PartRound[]): PartName[] =>
  PART_NAMES.filter((name) => parts.every((round) => round[name] === undefined));
