/** A rule that protects money or access, a change that disables it, and the attack that succeeds without it. */
export interface Guard {
  /** For people and for `--only`. */
  name: string;
  /** From the project's root. */
  file: string;
  /** Occurs exactly once in the file. */
  text: string;
  /** Replaces `text`. Keeps the code valid, so that the attack succeeds and nothing else fails. */
  without: string;
  /** The test that must fail without the guard. `name`: a part of its name, as the test file writes it. */
  attack: { file: string; name: string };
}

/** A guard as the table writes it. `attack`: a part of the test's name. */
type Row = readonly [name: string, text: string, without: string, attack: string];

/** Guards in one file of the source, which the tests of one file attack. */
export const inFile = (file: string, attacks: string, rows: readonly Row[]): Guard[] =>
  rows.map(([name, text, without, attack]) => ({
    ...{ name, file, text, without },
    attack: { file: attacks, name: attack },
  }));

/** Returns the source without the guard. Throws if the guard's text does not occur exactly once. */
export function disable({ name, file, text, without }: Guard, source: string): string {
  const count = source.split(text).length - 1;
  if (count !== 1)
    throw new Error(
      `The guard has moved: the text of "${name}" occurs ${count} times in ${file}. Adapt its entry in test/guards/table.`,
    );
  return source.replace(text, () => without);
}
