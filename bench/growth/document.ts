import { writeFileSync } from 'node:fs';
import { documentOf } from '../document.ts';

/** Where what was measured of the growth stands. */
export const SCALING = documentOf('scaling.md');

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
