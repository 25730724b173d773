import { readFileSync, writeFileSync } from 'node:fs';

/** A document of `docs/`, by its name, with places for what is measured. */
export const documentOf = (name: string) => {
  const file = new URL(`../docs/${name}`, import.meta.url);
  return {
    /** Puts what was measured into its place: between `<!-- part -->` and `<!-- /part -->`. */
    put: (part: string, text: string): void => {
      const whole = readFileSync(file, 'utf8');
      const [begin, end] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
      const from = whole.indexOf(begin);
      const to = whole.indexOf(end);
      if (from < 0 || to < from) throw new Error(`docs/${name} has no place for ${part}`);
      writeFileSync(file, `${whole.slice(0, from)}${begin}\n${text}\n${whole.slice(to)}`);
    },
  };
};
