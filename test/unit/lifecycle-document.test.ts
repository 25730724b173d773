import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { lifecycleDocument } from '../../docs/generate/lifecycle-document.ts';
import { drawing } from '../../docs/generate/lifecycle-drawing.ts';
import { ORDER_STATUSES, TRANSITIONS } from '../../src/domain/order-state.ts';

test('docs/lifecycle.md says what the code does', async () => {
  const kept = await readFile(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8').catch(() => '');
  const isTrue = kept === lifecycleDocument();
  if (!isTrue) throw new Error('docs/lifecycle.md is not what the code says: run "npm run docs:lifecycle"');
});

test('the drawing has an arrow for each change of status, and no other', () => {
  const arrows = [...drawing().matchAll(/^ {2}(\w+) --> (\w+) :/gm)].map(([, from, to]) => `${from} > ${to}`);
  const changes = TRANSITIONS.flatMap(({ from, to, escalation }) => [
    ...(from === to ? [] : [`${from} > ${to}`]),
    ...(escalation ? [`${from} > ${escalation.to}`] : []),
  ]);
  expect(new Set(arrows)).toEqual(new Set(changes));
  expect(arrows).toHaveLength(new Set(arrows).size);
});

test('no status and no trigger is left out', () => {
  const text = lifecycleDocument();
  for (const name of [...ORDER_STATUSES, ...TRANSITIONS.flatMap(({ trigger, step }) => [trigger, step])])
    expect(text).toContain(`\`${name}\``);
});
