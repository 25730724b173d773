import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { readViews } from '../../src/cli/views.ts';
import { ordersToReconcile } from '../../src/operations/upkeep/reconciled-orders.ts';
import { restartOrder } from '../../src/orders/start-order.ts';
import { ORDER_WORKFLOW, orderIdOf } from '../../workflows/messages.ts';
import { adminCli } from '../support/admin-cli.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { startHangingReceiver } from '../support/hanging-receiver.ts';
import { connectToTemporal } from '../support/temporal-client.ts';

/** The queries of `ops/views.md`, run verbatim against a Temporal that has an order of each kind. */
const views = await readViews();
const HANGS = 'a receiver that hangs';

/** Order ids by kind. */
const orders: Record<string, number> = {};

const corridor = await startCorridor();
const client = await connectToTemporal(corridor);
const { workflow } = client;
const [agent, lp, other] = [
  await corridor.newAgent(),
  await corridor.newLp(),
  await corridor.newLp({ spreadBps: 100 }),
];
await corridor.newLp({ currency: 'UGX', rate: 3_700 });
const lpId = other.id;
const claimed = async (callback?: string) => {
  const id = await agent.newOrder(callback ? { callback_url: callback } : {});
  await expectStatus(200, lp.claim(id));
  return id;
};
orders.open = await agent.newOrder();
orders.claimed = await claimed();
orders.ofTheOther = await agent.newOrder();
await expectStatus(200, other.claim(orders.ofTheOther));
orders.fiatSent = await claimed();
await expectStatus(200, lp.fiatSent(orders.fiatSent));
orders.confirmed = await agent.confirmedOrder(lp);
orders.verifying = await agent.confirmedOrder(lp);
const later = await corridor.payment(agent, orders.verifying, { final_after_ms: 3_600_000 });
await expectStatus(200, agent.settle(orders.verifying, later));
orders.disputed = await claimed();
await expectStatus(200, agent.dispute(orders.disputed));
orders.frozen = await claimed();
await expectStatus(200, corridor.adminDoes('freeze', orders.frozen));
orders.completed = await agent.confirmedOrder(lp);
await expectStatus(200, agent.settle(orders.completed, await corridor.payment(agent, orders.completed)));
const done = orders.completed;
await eventuallyEquals(() => agent.statusOf(done), 'completed');
orders.cancelled = await agent.newOrder();
await expectStatus(200, agent.cancel(orders.cancelled));
orders.inUgx = await agent.newOrder({ currency: 'UGX', amount: 37_000 });
const [row] = await ordersToReconcile(corridor.db, [orders.claimed]);
if (!row) throw new Error('the claimed order has no row');
await restartOrder(corridor.shared.gateway, row);
// Corridor's own code never takes so long and never fails. So these workflows have no worker.
await workflow.start(ORDER_WORKFLOW, {
  ...{ workflowId: 'order-900000', taskQueue: 'nobody', args: [{}], workflowExecutionTimeout: '1s' },
});
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

const soon = () => new Date(Date.now() + 365 * 86_400_000).toISOString();
/** The expected orders of each view. The view with a time uses one a year from now. */
const EXPECTED: Record<string, string[]> = {
  Running: [
    ...['open', 'claimed', 'ofTheOther', 'fiatSent', 'confirmed', 'verifying', 'disputed', 'frozen', 'inUgx'],
  ],
  Overdue: ['open', 'claimed', 'ofTheOther', 'fiatSent', 'confirmed', 'verifying', 'inUgx'],
  Open: ['open', 'inUgx'],
  'Waiting for an LP': ['open', 'claimed', 'ofTheOther', 'inUgx'],
  'Waiting for the agent': ['fiatSent', 'confirmed'],
  'Waiting for the chain': ['verifying'],
  'Waiting for an admin': ['disputed', 'frozen'],
  Disputed: ['disputed'],
  Frozen: ['frozen'],
  'Ended and still sending': [],
  Completed: ['completed'],
  Cancelled: ['cancelled'],
  'Of an LP': ['ofTheOther'],
  'In a currency': ['inUgx'],
  'Replaced workflows': ['claimed'],
  'Failed workflows': ['timedOut'],
};

const filled = (query: string, now = soon()) =>
  query.replace('{now}', now).replace('{lp}', String(lpId)).replace('{currency}', 'UGX');
const listed = async (query: string): Promise<string[]> => {
  const names = new Map(Object.entries({ ...orders, timedOut: 900_000 }).map(([name, id]) => [id, name]));
  const found: string[] = [];
  for await (const { workflowId } of workflow.list({ query }))
    found.push(names.get(orderIdOf(workflowId) ?? 0) ?? workflowId);
  return found.sort();
};

test('there are views, and each has expected orders', () => {
  expect(views.map(({ name }) => name)).toEqual(Object.keys(EXPECTED));
});

test.each(views.filter(({ name }) => EXPECTED[name]?.length))(
  '$name lists $shows',
  async ({ name, query }) => {
    const wanted = [...(EXPECTED[name] ?? [])].sort().join();
    await eventuallyEquals(async () => (await listed(filled(query))).join(), wanted);
  },
);

test('no order is overdue before its deadline', async () => {
  const overdue = views.find(({ name }) => name === 'Overdue');
  expect(await listed(filled(overdue?.query ?? '', new Date().toISOString()))).toEqual([]);
});

test(`an order that has ended is in a view while ${HANGS} has not received its webhook`, async () => {
  const receiver = await startHangingReceiver();
  const sending = views.find(({ name }) => name === 'Ended and still sending');
  try {
    const id = await (await corridor.newAgent()).newOrder({ callback_url: receiver.url });
    orders.sending = id;
    await expectStatus(200, corridor.adminDoes('cancel', id));
    await eventually(async () => (await listed(sending?.query ?? '')).includes('sending'));
  } finally {
    await receiver.close();
  }
});

test.each(views)('the link to $name contains its query', ({ query, link }) => {
  if (query.includes('{')) expect(link).toBeNull();
  else {
    const url = new URL(link ?? '');
    expect(url.origin + url.pathname).toBe('http://127.0.0.1:8233/namespaces/corridor/workflows');
    expect(url.searchParams.get('query')).toBe(query);
  }
});

test('The terminal prints every link, filled in', async () => {
  const env = {
    TEMPORAL_UI_URL: 'https://temporal.example',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    TEMPORAL_NAMESPACE: 'eu',
  };
  const { shown, json } = adminCli(corridor);
  const printed = await json(`views --lp ${lpId}`, env);
  expect(printed.map(({ name }: { name: string }) => name)).toEqual(
    Object.keys(EXPECTED).filter((name) => name !== 'In a currency'),
  );
  for (const { query, url } of printed) {
    expect(url).toBe(`https://temporal.example/namespaces/eu/workflows?query=${encodeURIComponent(query)}`);
    await listed(query);
  }
  expect(await shown('views --currency UGX', env)).toMatch(
    /^In a currency: .*\n {2}https:\/\/temporal\.example\/\S+Currency%20%3D%20'UGX'$/m,
  );
});
