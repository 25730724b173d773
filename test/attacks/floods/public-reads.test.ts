import { once } from 'node:events';
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { startCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { rawConnection, rawRequest, statusesIn } from '../../support/raw-http.ts';

/** Strangers read what anybody may read, far more often than they need to. */
const CONNECTIONS = 10;
const PIPELINED = 2_000;

/** How often each statement has run, by its name. */
const statements = new Map<string, number>();
const corridor = await startCorridor();
await corridor.newLp();
const agent = await corridor.newAgent();
const orderId = await agent.newOrder();
const { db } = corridor.shared;
const query = db.query;
jest.spyOn(db, 'query').mockImplementation((name, text, values) => {
  statements.set(name, (statements.get(name) ?? 0) + 1);
  return query(name, text, values);
});
await corridor.stopApi();
await corridor.startApi();
afterAll(async () => {
  jest.restoreAllMocks();
  await corridor.stop();
});
beforeEach(() => statements.clear());

/** How many runs this takes at one a second, and one for the second that began before. */
const mostRuns = (startedAt: number) => 2 + (Date.now() - startedAt) / 1_000;

test.each([
  ['/readyz', 'ready'],
  ['/api/lps', 'public-lps'],
  ['/api/v1/corridors', 'corridors-available'],
])('%s is computed once for all who ask within a second', async (path, statement) => {
  const startedAt = Date.now();
  const answers = await Promise.all(Array.from({ length: 200 }, () => corridor.anyone('GET', path)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(statements.get(statement) ?? 0).toBeLessThanOrEqual(mostRuns(startedAt));
});

test('an agent is served while connections send thousands of requests at once', async () => {
  const startedAt = Date.now();
  const piece = rawRequest(['GET /readyz HTTP/1.1', 'Host: corridor']).repeat(PIPELINED);
  const floods = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = rawConnection(corridor.config.publicUrl);
      await once(connection.socket, 'connect');
      connection.socket.write(piece);
      return connection;
    }),
  );
  let served = 0;
  const ended = Promise.all(floods.map(({ closed }) => closed));
  let isOver = false;
  const over = ended.then(() => {
    isOver = true;
  });
  await eventually(async () => {
    const { status } = await agent.call('GET', `/api/v1/status/${orderId}`);
    expect(status).toBe(200);
    served += 1;
    return isOver && served >= 20;
  });
  await over;
  for (const answer of await ended) expect(statusesIn(answer).length).toBeLessThanOrEqual(10);
  expect(statements.get('ready') ?? 0).toBeLessThanOrEqual(mostRuns(startedAt));
});
