import { readFileSync, writeFileSync } from 'node:fs';

/** A page of `docs/` with marked sections for measured tables. */
export const documentOf = (name: string) => {
  const file = new URL(`../docs/${name}`, import.meta.url);
  return {
    /** Replaces the text between `<!-- section -->` and `<!-- /section -->`. */
    put: (section: string, text: string): void => {
      const whole = readFileSync(file, 'utf8');
      const [begin, end] = [`<!-- ${section} -->`, `<!-- /${section} -->`];
      const from = whole.indexOf(begin);
      const to = whole.indexOf(end);
      if (from < 0 || to < from) throw new Error(`docs/${name} has no section ${section}`);
      writeFileSync(file, `${whole.slice(0, from)}${begin}\n${text}\n${whole.slice(to)}`);
    },
  };
};
