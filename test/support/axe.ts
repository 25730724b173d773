import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The rules that are on by default, and these. */
const MORE_RULES = ['label-content-name-mismatch', 'target-size'];

/** Returns what axe finds on the page as it is now: each rule with the elements that break it. Empty: nothing. */
export async function findWithAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    rules: Object.fromEntries(MORE_RULES.map((rule) => [rule, { enabled: true }])),
  };
  return page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}
