import { afterEach, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { prepareAfterRestore } from '../../../src/db/restore.ts';
import {
  adminDoes,
  cancel,
  claim,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  rowOf,
  statusOf,
} from '../../support/actors.ts';
import { startCorridor } from '../../support/corridor.ts';
import { copyOf } from '../../support/database.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { resumeAfterRestore } from '../../support/resume-after-restore.ts';

const atTheEnd: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of atTheEnd.splice(0).reverse()) await end();
});

test('after a restore with a Temporal that has later state, the orders that moved since the backup are frozen', async () => {
  const first = await startCorridor();
  const [agent, lp] = [await newAgent(first), await newLp(first)];
  const [moved, ended, unmoved] = [await newOrder(agent), await newOrder(agent), await newOrder(agent)];
  await expectStatus(200, claim(lp, moved));
  await first.stop();
  const { databaseUrl } = first;
  const backup = await copyOf(new URL(databaseUrl).pathname.slice(1));

  const env = { TEMPORAL_NAMESPACE: first.config.temporalNamespace };
  const later = await startCorridor({ databaseUrl, env });
  const [agentLater, lpLater] = [
    { ...agent, call: later.as(agent.key) },
    { ...lp, call: later.as(lp.key) },
  ];
  await expectStatus(200, fiatSent(lpLater, moved));
  await expectStatus(200, cancel(agentLater, ended));
  const created = await newOrder(agentLater);
  const { gateway } = later.shared;
  await eventually(async () => (await gateway.lastSeen(moved))?.version === 3);
  await eventually(async () => !(await gateway.runningOrder(ended)));
  await later.stop();

  await prepareAfterRestore(backup);
  const restored = await startCorridor({ databaseUrl: backup, env });
  atTheEnd.push(restored.stop);
  for (const [id, reason] of [
    [moved, 'seen as fiat_sent, version 3, and its row was claimed, version 2'],
    [ended, 'seen as cancelled, version 2, and its row was matched, version 1'],
  ] as const) {
    await eventually(async () => (await rowOf(restored.admin, id)).frozen);
    expect((await rowOf(restored.admin, id)).status_reason).toContain(reason);
  }
  await eventually(async () => {
    const { drift } = await expectStatus(200, restored.admin('GET', '/api/admin/reconciliation'));
    const ids = (kind: string) =>
      drift
        .filter((one: { kind: string }) => one.kind === kind)
        .flatMap(({ first }: { first: { order_id: number }[] }) => first.map(({ order_id }) => order_id));
    return ids('commits_lost').join() === `${moved},${ended}` && ids('order_missing').join() === `${created}`;
  });

  const [agentNow, lpNow] = [
    { ...agent, call: restored.as(agent.key) },
    { ...lp, call: restored.as(lp.key) },
  ];
  await resumeAfterRestore(restored);
  expect(await newOrder(agentNow)).toBeGreaterThan(created + 1_000);
  await expectStatus(200, claim(lpNow, unmoved));
  await eventuallyEquals(async () => (await adminDoes(restored.admin, 'unfreeze', moved)).status, 200);
  await expectStatus(200, fiatSent(lpNow, moved));
  expect(await statusOf(agentNow, moved)).toBe('fiat_sent');
}, 240_000);
