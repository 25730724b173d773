import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { stepActivities } from '../../activities/steps.ts';
import type { SignalCommand } from '../../src/domain/order-commands.ts';
import type { StepActivities } from '../../src/domain/order-steps.ts';
import { createCommandVerifier } from '../../src/orders/verify-command.ts';
import { signCommand } from '../../src/temporal/command-signature.ts';
import { type Books, openBooks } from '../support/books.ts';

/** A worker's activities get commands from a history that somebody else has written. No API runs that could help. */
const SECRET = 'the-secret-of-the-api';
let books: Books;
let steps: StepActivities;
let lp: number;
const announced: string[] = [];
beforeAll(async () => {
  books = await openBooks();
  lp = await books.newLp();
  await books.deposit(lp, '1000');
  const log = pino({ level: 'silent' });
  steps = stepActivities({
    db: books.db,
    log,
    announce: (requestId) => announced.push(requestId),
    strikeCoolDown: 0,
    verifyCommand: createCommandVerifier({
      secrets: [SECRET],
      log,
      count: () => undefined,
    }),
    orderMetrics: { stepped: () => undefined },
  });
});
afterAll(() => books.db.close());

async function openOrder(): Promise<number> {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  return draft.id;
}
const claimOf = (orderId: number, trigger: 'claim' | 'autoClaim', requestId: string) => ({
  ...({ orderId, version: 1, from: 'matched', to: 'claimed', requestId } as const),
  ...{ actor: `lp:${lp}`, reason: null, deadline: { inMs: 60_000 } },
  command: { trigger, lpId: lp, validUntil: 'infinity' } as const,
});
const outcomes = async (column: 'request_id' | 'order_id', value: string | number): Promise<string[]> => {
  const { rows } = await books.db.pool.query(`select result from order_outcome where ${column} = $1`, [
    value,
  ]);
  return rows.map(({ result }) => result);
};

test('a command without a signature moves nothing', async () => {
  const [id, requestId] = [await openOrder(), randomUUID()];
  const given = claimOf(id, 'claim', requestId);
  const forged = signCommand('another-secret', given);
  for (const signature of [undefined, '', '1.x', forged])
    expect(await steps.claim({ ...given, signature })).toMatchObject({ result: 'unsigned' });
  expect((await books.state(id)).status).toBe('matched');
  expect(announced).not.toContain(requestId);
  // The same command with the API's signature does.
  const signature = signCommand(SECRET, given);
  expect(await steps.claim({ ...given, signature })).toMatchObject({ result: 'applied' });
  expect(announced).toContain(requestId);
});

test('a refused command without a signature answers no request', async () => {
  const [id, requestId] = [await openOrder(), randomUUID()];
  const command: SignalCommand = { trigger: 'confirm' };
  const answer = { requestId, actor: 'agent:1', command, result: 'wrong_state' } as const;
  const at = { orderId: id, version: 1, from: 'matched' } as const;
  expect(await steps.answer({ ...at, answers: [answer] })).toBeNull();
  expect(await outcomes('request_id', requestId)).toEqual([]);
  const signature = signCommand(SECRET, { orderId: id, requestId, actor: 'agent:1', command });
  // Beside one that is signed, too.
  const other = { ...answer, requestId: randomUUID() };
  await steps.answer({ ...at, answers: [other, { ...answer, signature }] });
  expect(await outcomes('order_id', id)).toEqual(['wrong_state']);
  expect(await outcomes('request_id', requestId)).toEqual(['wrong_state']);
});

test('an own command under the id of a request does not answer it', async () => {
  const [id, requestId] = [await openOrder(), randomUUID()];
  expect(await steps.claim(claimOf(id, 'autoClaim', requestId))).toMatchObject({ result: 'applied' });
  expect(await outcomes('order_id', id)).toEqual(['applied']);
  expect(await outcomes('request_id', requestId)).toEqual([]);
  expect(announced).not.toContain(requestId);
});
