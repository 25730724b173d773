import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../docs/scaling.md', import.meta.url);

/** Puts what was measured into its place in docs/scaling.md: between `<!-- part -->` and `<!-- /part -->`. */
export function writeMeasured(part: string, text: string): void {
  const whole = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const from = whole.indexOf(begin);
  const to = whole.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/scaling.md has no place for ${part}`);
  writeFileSync(DOCUMENT, `${whole.slice(0, from)}${begin}\n${text}\n${whole.slice(to)}`);
}

const PLANS = new URL('../../docs/scaling-plans.md', import.meta.url);

/** The plans of every statement that Corridor sent, in a file of their own. */
export function writePlans(orders: number, plans: string): void {
  const words = `# Plans with ${orders.toLocaleString('en-US')} orders

How PostgreSQL carried out every statement that Corridor sent to a database with so many orders that have ended, while
everything in [scaling.md](scaling.md) was measured once more: the nodes of its plan with the rows and the 8 KB pages that
each brought. Written by \`npm run bench:growth -- --write\`; those that looked at the most rows come first.
`;
  writeFileSync(PLANS, `${words}\n${plans}\n`);
}
