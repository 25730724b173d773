import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { SignalCommand } from '../../src/domain/order-commands.ts';
import { signCommand } from '../../src/temporal/command-signature.ts';
import { openBooks } from '../support/books.ts';
import { stepInput } from '../support/take-step.ts';
import { workerSteps } from '../support/worker-steps.ts';

/** A worker's activities receive commands from a history that an intruder has written. */
const books = await openBooks();
const worker = workerSteps(books);
const lp = await books.newLp();
await books.deposit(lp, '1000');
afterAll(() => books.db.close());

async function openOrder(): Promise<number> {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  return draft.id;
}
const claimOf = async (orderId: number, trigger: 'claim' | 'autoClaim', requestId: string) => ({
  ...(await stepInput(books.db, orderId, { trigger, lpId: lp, validUntil: 'infinity' }, `lp:${lp}`)),
  requestId,
});
const outcomes = async (column: 'request_id' | 'order_id', value: string | number): Promise<string[]> => {
  const { rows } = await books.db.pool.query(`select result from order_outcome where ${column} = $1`, [
    value,
  ]);
  return rows.map(({ result }) => result);
};

test('a command without a signature moves nothing', async () => {
  const { steps } = worker;
  const [id, requestId] = [await openOrder(), randomUUID()];
  const given = await claimOf(id, 'claim', requestId);
  const forged = signCommand('another-secret', given);
  for (const signature of [undefined, '', '1.x', forged])
    expect(await steps.claim({ ...given, signature })).toMatchObject({ result: 'unsigned' });
  expect((await books.state(id)).status).toBe('matched');
  expect(worker.announced).not.toContain(requestId);
  // The same command with the API's signature does.
  expect(await steps.claim(worker.signed(given))).toMatchObject({ result: 'applied' });
  expect(worker.announced).toContain(requestId);
});

test('a refused command without a signature answers no request', async () => {
  const { steps } = worker;
  const [id, requestId] = [await openOrder(), randomUUID()];
  const command: SignalCommand = { trigger: 'confirm' };
  const answer = { requestId, actor: 'agent:1', command };
  const at = { orderId: id, state: await books.state(id) };
  expect(await steps.answer({ ...at, requests: [answer] })).toBeNull();
  expect(await outcomes('request_id', requestId)).toEqual([]);
  const { signature } = worker.signed({ ...at, ...answer });
  // Nor together with a signed command.
  const other = { ...answer, requestId: randomUUID() };
  await steps.answer({ ...at, requests: [other, { ...answer, signature }] });
  expect(await outcomes('order_id', id)).toEqual(['wrong_state']);
  expect(await outcomes('request_id', requestId)).toEqual(['wrong_state']);
});

test('a command of the workflow itself under the id of a request does not answer it', async () => {
  const { steps } = worker;
  const [id, requestId] = [await openOrder(), randomUUID()];
  expect(await steps.claim(await claimOf(id, 'autoClaim', requestId))).toMatchObject({ result: 'applied' });
  expect(await outcomes('order_id', id)).toEqual(['applied']);
  expect(await outcomes('request_id', requestId)).toEqual([]);
  expect(worker.announced).not.toContain(requestId);
});

/**
 * A worker loses its task after the commit of a step. When the workflow runs again, it decides otherwise, and draws the
 * same id for a later command.
 */
test('a command of the workflow is carried out although an earlier one has drawn its id', async () => {
  const { steps } = worker;
  const [id, requestId] = [await openOrder(), randomUUID()];
  await steps.claim(await claimOf(id, 'autoClaim', requestId));
  await books.db.pool.query("update orders set timeout_at = now() - interval '1 second' where id = $1", [id]);
  const { version } = await books.state(id);
  const late = await stepInput(books.db, id, { trigger: 'deadline', version }, 'service');
  expect(await steps.reofferOrder({ ...late, requestId })).toMatchObject({ result: 'applied' });
  expect((await books.state(id)).status).toBe('matched');
  // The same command again, after its task was lost, finds its outcome.
  expect(await steps.reofferOrder({ ...late, requestId })).toMatchObject({ result: 'applied' });
  expect((await books.state(id)).version).toBe(version + 1);
});
