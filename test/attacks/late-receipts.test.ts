import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import type { TestLp } from '../support/parties.ts';
import { fileOf, HEADS, MULTIPART, multipart, receiptParts } from '../support/receipts.ts';

const folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
/** An LP loses its order while its receipt is still on its way. */
const corridor = await startCorridor({ env: { DATA_DIR: folder } });
const agent = await corridor.newAgent();
await corridor.newLp();
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const isOnItsWay = async () => (await readdir(join(folder, 'receipts', 'incoming'))).length === 1;
const stored = async () => (await readdir(join(folder, 'receipts'))).filter((name) => name !== 'incoming');

/** Sends half of a receipt, does `meanwhile`, and sends the rest. Returns the status of the response. */
async function uploadDuring(lp: TestLp, id: number, meanwhile: () => Promise<unknown>): Promise<number> {
  const { host, port } = corridor.config;
  const body = multipart(receiptParts(id, fileOf(HEADS['image/png'], 1_000_000)));
  const socket = connect(port, host);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(
    `POST /api/lp/${lp.key}/receipt HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer ${lp.key}\r\n` +
      `Content-Type: ${MULTIPART['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 500_000));
  await eventually(isOnItsWay);
  await meanwhile();
  socket.write(body.subarray(500_000));
  await eventually(async () => answer.includes('\r\n'));
  socket.destroy();
  return Number(answer.split(' ')[1]);
}

async function claimed() {
  const lp = await corridor.newLp();
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  return { lp, id };
}
const contest = (lp: TestLp, id: number) => lp.dispute(id, 'I had paid');

test('at its fiat deadline: the file is evidence, with which the LP can dispute the loss', async () => {
  const { lp, id } = await claimed();
  const expire = () => lp.expireNow(id);
  expect(await uploadDuring(lp, id, () => expectStatus(200, expire()))).toBe(201);
  expect(await contest(lp, id)).toMatchObject({ status: 200, body: { status: 'frozen' } });
});

test('by its own release: the file is refused, and not kept', async () => {
  const { lp, id } = await claimed();
  const before = await stored();
  expect(await uploadDuring(lp, id, () => expectStatus(200, lp.release(id)))).toBe(403);
  expect(await stored()).toEqual(before);
  expect((await contest(lp, id)).status).toBe(403);
});
