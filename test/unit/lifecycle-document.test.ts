import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { lifecycleDocument } from '../../docs/generate/lifecycle-document.ts';
import { lifecycleDiagram } from '../../docs/generate/lifecycle-drawing.ts';
import { ORDER_STATUSES, TRANSITIONS } from '../../src/domain/order-state.ts';

test('docs/lifecycle.md is up to date with the code', async () => {
  const committed = await readFile(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8').catch(
    () => '',
  );
  if (committed !== lifecycleDocument())
    throw new Error('docs/lifecycle.md differs from the code: run "npm run docs:lifecycle"');
});

test('the diagram has exactly one arrow per change of status', () => {
  const arrows = [...lifecycleDiagram().matchAll(/^ {2}(\w+) --> (\w+) :/gm)].map(
    ([, from, to]) => `${from} > ${to}`,
  );
  const changes = TRANSITIONS.flatMap(({ from, to, escalation }) => [
    ...(from === to ? [] : [`${from} > ${to}`]),
    ...(escalation ? [`${from} > ${escalation.to}`] : []),
  ]);
  expect(new Set(arrows)).toEqual(new Set(changes));
  expect(arrows).toHaveLength(new Set(arrows).size);
});

test('the page names every status, trigger and step', () => {
  const text = lifecycleDocument();
  for (const name of [...ORDER_STATUSES, ...TRANSITIONS.flatMap(({ trigger, step }) => [trigger, step])])
    expect(text).toContain(`\`${name}\``);
});
