import { writeFileSync } from 'node:fs';
import { type Conditions, currentPlace, measuredAt } from './run.ts';

/** The files of `bench/results` that a bench writes with `--write`, by name: their title, and the command. */
const RESULTS = {
  alternatives: ['Corridor beside its alternatives', 'npm run bench -- --only alternatives --write'],
  parts: ['Corridor’s parts', 'npm run bench -- --only PARTS --write'],
  order: ['What an order takes', 'npm run bench:order -- --write'],
  processes: ['Cost with more processes', 'npm run bench:processes -- --write'],
  latency: ['Calls by the number of ended orders', 'npm run bench:growth -- --write'],
  statements: ['Statements that read most, by the number of ended orders', 'npm run bench:growth -- --write'],
  ledger: ['The proof of the ledger by the number of orders', 'npm run bench:growth -- --write'],
  plans: ['Plans of these statements with the most ended orders', 'npm run bench:growth -- --write'],
} as const;

/** A file in `bench/results`. */
export const resultFile = (name: string): URL => new URL(`./results/${name}`, import.meta.url);

/** Replaces the file of a result. */
export function writeResult(
  name: keyof typeof RESULTS,
  text: string,
  place: Pick<Conditions, 'commit' | 'machine'> = currentPlace(),
): void {
  const [title, command] = RESULTS[name];
  const parts = [`# ${title}`, `Written by \`${command}\`.`, measuredAt(place), text];
  writeFileSync(resultFile(`${name}.md`), `${parts.join('\n\n')}\n`);
}
