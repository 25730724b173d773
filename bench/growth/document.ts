import { writeFileSync } from 'node:fs';
import { documentOf } from '../document.ts';

/** The page with the measured growth. */
export const SCALING = documentOf('scaling.md');

const PLANS = new URL('../../docs/scaling-plans.md', import.meta.url);

/** Writes the plans of statements into a page of their own. */
export function writePlans(orders: number, plans: string): void {
  const introduction = `# Plans with ${orders.toLocaleString('en-US')} orders

The plans of the statements that read at least 100 rows in the [measured growth](scaling.md). Each node shows the rows
that it returned and the 8 KB pages that it touched. Statements that read the most rows come first.
\`npm run bench:growth -- --write\` writes this page.
`;
  writeFileSync(PLANS, `${introduction}\n${plans}\n`);
}
