import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { MOST_RECEIPTS } from '../../../src/domain/receipt-type.ts';
import { startCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestLp } from '../../support/parties.ts';
import { rawConnection, rawRequest, statusesIn } from '../../support/raw-http.ts';
import { fileOf, HEADS, MULTIPART, multipart, receiptParts, upload } from '../../support/receipts.ts';

const folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
/** An LP uploads more than anybody reads. */
const corridor = await startCorridor({ env: { DATA_DIR: folder } });
const lp = await corridor.newLp();
const orderId = await (await corridor.newAgent()).newOrder();
await expectStatus(200, lp.claim(orderId));
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const png = fileOf(HEADS['image/png'], 500);

/** Sends the beginning of a form with a file of ten megabytes, and waits for the response. */
async function answerBeforeFile(caller: TestLp, id: number): Promise<string> {
  const form = multipart(receiptParts(id, png)).toString('latin1');
  const connection = rawConnection(corridor.config.publicUrl);
  await once(connection.socket, 'connect');
  const lines = [
    `POST /api/lp/${caller.key}/receipt HTTP/1.1`,
    'Host: corridor',
    `Authorization: Bearer ${caller.key}`,
    `Content-Type: ${MULTIPART['content-type']}`,
    'Content-Length: 10000000',
  ];
  connection.socket.write(rawRequest(lines, form.slice(0, form.indexOf('IHDR'))), 'latin1');
  await eventually(async () => statusesIn(connection.received()).length === 1);
  connection.socket.destroy();
  return connection.received();
}

test('an upload for another LP’s order is refused before its file arrives', async () => {
  const answer = await answerBeforeFile(await corridor.newLp(), orderId);
  expect([statusesIn(answer), answer.includes('receipt_not_allowed')]).toEqual([[403], true]);
});

test('an order takes a limited number of receipts, and the next one is refused before its file arrives', async () => {
  for (let i = 0; i < MOST_RECEIPTS; i++) await expectStatus(201, upload(lp, orderId, png));
  const { status, headers } = await upload(lp, orderId, png);
  expect([status, headers.get('x-error-code')]).toEqual([409, 'too_many_receipts']);
  expect(statusesIn(await answerBeforeFile(lp, orderId))).toEqual([409]);
  const stored = (await readdir(join(folder, 'receipts'))).filter((name) => name !== 'incoming');
  expect(stored).toHaveLength(MOST_RECEIPTS);
});
