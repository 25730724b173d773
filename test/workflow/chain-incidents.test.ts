import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { recordContact } from '../../src/operations/upkeep/chain-contact.ts';
import { keepChainIncidents } from '../../src/operations/upkeep/jobs/chain-incidents.ts';
import { lpOn } from '../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { closeIncident, incidentsIn, openIncident } from '../support/incidents.ts';
import { startJsonServer } from '../support/json-server.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';

/** Incidents of chains that Corridor opens and closes by itself, with the node of `base`. */
const ADDRESS = `0x${'12'.repeat(20)}`;
const ON_BASE = { crypto_symbol: 'usdc', crypto_chain: 'base' };

let isAway = false;

const node = await startJsonServer(({ body: { id, method } }) => {
  if (isAway) return { status: 503, text: 'away' };
  const results: Record<string, unknown> = {
    eth_chainId: '0x2105',
    eth_blockNumber: '0x10',
    eth_getTransactionReceipt: null,
    eth_call: `0x${'6'.padStart(64, '0')}`,
  };
  return { json: { jsonrpc: '2.0', id, result: results[method] } };
});
const corridor = await startCorridor({
  env: {
    SANDBOX: 'true',
    OUTAGE_THRESHOLD: '5s',
    CHAIN_BASE_RPC_URL: node.url,
    CHAIN_BASE_CONFIRMATIONS: '1',
    CHAIN_BASE_TOKENS: `usdc:0x${'2'.repeat(40)}:6`,
  },
});
afterAll(async () => {
  await corridor?.stop();
  await node?.close();
});

const openOn = async (chain: string) =>
  (await incidentsIn(corridor.admin)).filter(
    (one: { chain: string; closed_at: string | null }) => one.chain === chain && one.closed_at === null,
  );
const timelineOf = (id: number) =>
  expectStatus(200, corridor.admin('GET', `/api/admin/orders/${id}/timeline`));

test('an incident is open while the node of a chain is away, over a restart, and closes when it answers', async () => {
  const agent = await corridor.newAgent();
  const lp = await lpOn(corridor, { symbol: 'usdc', chain: 'base', address: ADDRESS });
  const id = await agent.confirmedOrder(lp, ON_BASE);
  const settled = await agent.confirmedOrder(lp, ON_BASE);
  await expectStatus(200, agent.settle(settled, randomBytes(32).toString('hex')));
  isAway = true;
  const [incident] = await eventually(async () => {
    const found = await openOn('base');
    return found.length > 0 && found;
  });
  expect(incident).toMatchObject({ opened_by: 'service', currency: null, method: null });
  expect((await agent.pay(ON_BASE)).status).toBe(503);
  for (const one of [id, settled]) expect((await timelineOf(one)).next.stopped).not.toBeNull();
  await corridor.stopWorker();
  await corridor.startWorker();
  expect(await openOn('base')).toEqual([incident]);
  isAway = false;
  await eventuallyEquals(async () => (await openOn('base')).length, 0);
  for (const one of [id, settled]) {
    // A heartbeat that was late stops the clocks, too, for a moment.
    const { incidents, transitions } = await eventually(async () => {
      const timeline = await timelineOf(one);
      return timeline.next.stopped === null && timeline;
    });
    expect(incidents).toHaveLength(1);
    expect(transitions.map(({ cause }: { cause: string }) => cause)).toContain('incident');
  }
  expect(await agent.statusOf(settled)).toBe('crypto_verify_pending');
  // It began when the node stopped answering, which was before it was opened.
  const [row] = await corridor.db.query<{ lost: boolean }>(
    't-lost',
    `select closed_at - opened_at >= interval '5 seconds' as lost from incident where id = $1`,
    [incident.id],
  );
  expect(row?.lost).toBe(true);
  expect((await agent.pay(ON_BASE)).status).toBe(201);
  await expectSoundWhenStill(corridor);
  // The other tests do its job themselves, step by step.
  await corridor.stopWorker();
});

/** What workers have recorded about a chain without a node here. */
const THRESHOLD_MS = 60_000;
const keep = () => keepChainIncidents({ db: corridor.db, log: corridor.shared.log }, THRESHOLD_MS);
const seen = async (silentMinutes: number | null, askedSeconds = 0) => {
  await corridor.db.query(
    't-contact',
    `insert into chain_contact (chain, asked_at, silent_since)
     values ('eth', now() - $1 * interval '1 second', now() - $2::int * interval '1 minute')
     on conflict (chain) do update set asked_at = excluded.asked_at, silent_since = excluded.silent_since`,
    [askedSeconds, silentMinutes],
  );
};

test('one worker that gets an answer is enough, however long others get none', async () => {
  await seen(10);
  await recordContact(corridor.db, 'eth', true);
  await recordContact(corridor.db, 'eth', false);
  await keep();
  expect(await openOn('eth')).toEqual([]);
});

test('an old silence proves nothing after a stop of all workers', async () => {
  await seen(60, 120);
  await keep();
  expect(await openOn('eth')).toEqual([]);
  await recordContact(corridor.db, 'eth', false);
  await keep();
  expect(await openOn('eth')).toHaveLength(1);
  await recordContact(corridor.db, 'eth', true);
  await keep();
  expect(await openOn('eth')).toEqual([]);
});

test('an admin decides: Corridor closes no incident of an admin, and opens none that an admin has closed', async () => {
  await seen(10);
  await keep();
  const [own] = await openOn('eth');
  await openIncident(corridor.admin, { chain: 'eth' });
  await recordContact(corridor.db, 'eth', true);
  await keep();
  expect(await openOn('eth')).toMatchObject([{ id: own.id, opened_by: 'admin:root' }]);
  await seen(2);
  await expectStatus(200, closeIncident(corridor.admin, own.id));
  await keep();
  expect(await openOn('eth')).toEqual([]);
  // It has answered in between, so this is another silence.
  await corridor.db.query(
    't-earlier',
    `update incident set closed_at = now() - interval '1 hour', opened_at = now() - interval '2 hours' where id = $1`,
    [own.id],
  );
  await keep();
  expect(await openOn('eth')).toHaveLength(1);
  await recordContact(corridor.db, 'eth', true);
  await Promise.all([keep(), keep()]);
  expect(await openOn('eth')).toEqual([]);
});

test('a closing that did not end stops when the node is away again', async () => {
  await seen(10);
  await keep();
  const [own] = await openOn('eth');
  // As if the worker had died after it had moved some deadlines.
  await corridor.db.query('t-closing', 'update incident set closing_at = now() where id = $1', [own.id]);
  await seen(2);
  await keep();
  expect(await openOn('eth')).toMatchObject([{ id: own.id, closing_at: null }]);
  await recordContact(corridor.db, 'eth', true);
  await keep();
  expect(await openOn('eth')).toEqual([]);
});

test('an admin who takes an incident over while it is being closed keeps it', async () => {
  await seen(10);
  await keep();
  const [own] = await openOn('eth');
  await recordContact(corridor.db, 'eth', true);
  const db: TestCorridor['db'] = {
    ...corridor.db,
    query: async (name, text, values) => {
      const rows = await corridor.db.query<never>(name, text, values);
      if (name === 'chain-incidents-over') await openIncident(corridor.admin, { chain: 'eth' });
      return rows;
    },
  };
  await keepChainIncidents({ db, log: corridor.shared.log }, THRESHOLD_MS);
  expect(await openOn('eth')).toMatchObject([{ id: own.id, opened_by: 'admin:root' }]);
  await expectStatus(200, closeIncident(corridor.admin, own.id));
});
