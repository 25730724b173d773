import { mkdtemp, readdir, readFile, rename, rm, symlink, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { MAX_RECEIPT_BYTES } from '../../src/api/resources/receipts/schemas.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';
import {
  BOUNDARY,
  fileOf,
  HEADS,
  largestFile,
  MULTIPART,
  multipart,
  type Part,
  receiptParts,
  sendParts,
  upload,
} from '../support/receipts.ts';

const folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
const corridor = await startCorridor({ env: { DATA_DIR: folder } });
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const orderId = await agent.newOrder();
await expectStatus(200, lp.claim(orderId));
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const kept = async () => (await readdir(join(folder, 'receipts'))).filter((name) => name !== 'incoming');
const incoming = () => readdir(join(folder, 'receipts', 'incoming'));
const png = fileOf(HEADS['image/png'], 2_000);

afterEach(async () => {
  // After every test: no unfinished file remains, and each stored file has its row.
  await eventually(async () => (await incoming()).length === 0);
  const rows = await corridor.db.query<{ receipt_key: string }>(
    't-keys',
    'select receipt_key from receipt',
    [],
  );
  expect((await kept()).sort()).toEqual(rows.map((row) => row.receipt_key).sort());
});

describe('an LP', () => {
  test.each(Object.entries(HEADS))(
    'uploads a receipt of type %s for an order that it owns',
    async (type, head) => {
      const content = fileOf(head, 70_000);
      const { status, body } = await upload(lp, orderId, content);
      expect(status).toBe(201);
      expect(body).toEqual({
        ok: true,
        order_id: orderId,
        receipt_key: expect.stringMatching(/^rcpt_[0-9a-f]{48}$/),
        receipt_url: `${corridor.config.publicUrl}/api/receipts/${body.receipt_key}`,
      });
      const answer = await agent.call('GET', `/api/receipts/${body.receipt_key}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(content.equals(answer.body)).toBe(true);
    },
  );

  test('finds the latest in the order, and keeps the earlier ones', async () => {
    const [one, two] = [await upload(lp, orderId, png), await upload(lp, orderId, png)];
    expect(one.body.receipt_key).not.toBe(two.body.receipt_key);
    const order = await expectStatus(200, lp.call('GET', `/api/orders/${orderId}`));
    expect(order.receipt_url).toBe(two.body.receipt_url);
    for (const { body } of [one, two]) {
      expect((await lp.call('GET', `/api/receipts/${body.receipt_key}`)).status).toBe(200);
    }
  });

  test('can send the order after the file, and add other fields', async () => {
    const parts = [...receiptParts(orderId, png).reverse(), { name: 'note', content: 'paid' }];
    expect((await sendParts(lp, parts)).status).toBe(201);
  });

  test('can also upload for an order that has moved on since the claim', async () => {
    const confirmed = await agent.confirmedOrder(lp);
    expect((await upload(lp, confirmed, png)).status).toBe(201);
    expect(await expectStatus(200, agent.call('GET', `/api/v1/status/${confirmed}`))).toMatchObject({
      status: 'confirmed',
    });
  });

  test('gets the same refusal for an order of another LP, an unclaimed order, and an unknown order', async () => {
    const open = await agent.newOrder();
    const other = await corridor.newLp();
    for (const [caller, id] of [
      [other, orderId],
      [lp, open],
      [other, open],
      [lp, 999_999_999_999],
    ] as const) {
      expect(await upload(caller, id, png)).toMatchObject({
        status: 403,
        body: { error: 'Order not found or not assigned to this LP' },
      });
    }
  });

  test('is refused with a key other than the path’s, before the API reads its file', async () => {
    const other = await corridor.newLp();
    const answer = await other.call(
      'POST',
      `/api/lp/${lp.key}/receipt`,
      multipart(receiptParts(orderId, png)),
      MULTIPART,
    );
    expect(answer).toMatchObject({ status: 401, body: { error: 'Unauthorized' } });
  });
});

describe('a file', () => {
  test('has the type of its bytes, even if its name and declared type differ', async () => {
    const { body } = await upload(
      lp,
      orderId,
      fileOf(HEADS['application/pdf'], 5_000),
      'me.png',
      'image/png',
    );
    const answer = await lp.call('GET', `/api/receipts/${body.receipt_key}`);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="receipt-${orderId}.pdf"`);
  });

  test.each([
    ['an HTML page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['nothing', Buffer.alloc(0)],
    ['a long text', Buffer.alloc(300_000, 'text ')],
  ])('that is %s is refused, whether or not its name is receipt.png', async (_, content) => {
    const wanted = { status: 400, body: { error: 'The file must be a png, jpg, webp, gif, pdf or heic' } };
    expect(await upload(lp, orderId, content, 'receipt.png', 'image/png')).toMatchObject(wanted);
    expect(
      await sendParts(lp, [
        { name: 'file', content },
        { name: 'order_id', content: `${orderId}` },
      ]),
    ).toMatchObject(wanted);
  });

  test('of 12 MB is stored byte for byte; one byte more is refused, by its declared length or by counting', async () => {
    const { status, body } = await upload(lp, orderId, largestFile);
    expect(status).toBe(201);
    expect((await readFile(join(folder, 'receipts', body.receipt_key))).equals(largestFile)).toBe(true);
    const tooLarge = fileOf(HEADS['image/png'], MAX_RECEIPT_BYTES + 1);
    const refusal = { status: 413, body: { error: 'Payload too large' } };
    expect(await upload(lp, orderId, tooLarge)).toMatchObject(refusal);
    expect(await upload(lp, orderId, fileOf(HEADS['image/png'], MAX_RECEIPT_BYTES + 200_000))).toMatchObject(
      refusal,
    );
  });

  test('without a declared length is counted as it arrives', async () => {
    const chunk = fileOf(HEADS['image/gif'], 1024 * 1024);
    let sent = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        if (sent === 0) controller.enqueue(multipart(receiptParts(orderId, chunk), ''));
        else controller.enqueue(chunk);
        sent += 1;
        if (sent > 20) controller.close();
      },
    });
    const response = await fetch(`${corridor.config.publicUrl}/api/lp/${lp.key}/receipt`, {
      method: 'POST',
      headers: { ...MULTIPART, authorization: `Bearer ${lp.key}` },
      body: endless,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });
});

describe('a form', () => {
  const order: Part = { name: 'order_id', content: '1' };
  const file: Part = { name: 'file', content: png, filename: 'a.png', type: 'image/png' };

  test('without its fields, or with an invalid order id, gets an error for each field', async () => {
    const faults = async (parts: Part[]) => {
      const { status, body } = await sendParts(lp, parts);
      return [status, body.message, Object.keys(body.error.fieldErrors)];
    };
    expect(await faults([order])).toEqual([400, 'Validation failed', ['file']]);
    expect(await faults([file])).toEqual([400, 'Validation failed', ['order_id']]);
    expect(await faults([])).toEqual([400, 'Validation failed', ['order_id', 'file']]);
    for (const content of ['', 'one', '-1', '1.5', '0', '1; drop table orders', '99999999999999999']) {
      expect(await faults([{ ...order, content }, file])).toEqual([400, 'Validation failed', ['order_id']]);
    }
  });

  test.each<[string, Part[]]>([
    ['two files', [order, file, file]],
    ['a file in another field', [order, { ...file, name: 'picture' }]],
    ['a very long field', [{ ...order, content: '1'.repeat(5_000) }, file]],
    ['a very long header', [{ ...order, type: 'x'.repeat(100_000) }, file]],
    ['very many fields', [...Array.from({ length: 500 }, () => order), file]],
    ['a part without a name', [{ ...order, name: '' }, file]],
  ])('with %s is refused', async (_, parts) => {
    const { status, body } = await sendParts(lp, parts);
    expect([status, typeof body.error]).toEqual([400, 'string']);
  });

  test.each([
    ['without a boundary', { 'content-type': 'multipart/form-data' }],
    ['of another type', { 'content-type': 'application/json' }],
    ['of a similar type', { 'content-type': `multipart/related; boundary=${BOUNDARY}` }],
    ['with another boundary than its header', { 'content-type': 'multipart/form-data; boundary=other' }],
  ])('%s is refused', async (_, headers) => {
    const body = multipart(receiptParts(orderId, png));
    expect((await lp.call('POST', `/api/lp/${lp.key}/receipt`, body, headers)).status).toBe(400);
  });

  test.each([
    ['in the middle of the file', (body: Buffer) => body.subarray(0, 1_500)],
    ['in a header', (body: Buffer) => body.subarray(0, 60)],
    ['after a boundary', (body: Buffer) => Buffer.concat([body.subarray(0, -4), Buffer.from('\r\n')])],
    ['before anything', () => Buffer.from('')],
  ])('that breaks off %s is refused', async (_, cut) => {
    const body = cut(multipart(receiptParts(orderId, png)));
    expect(await lp.call('POST', `/api/lp/${lp.key}/receipt`, body, MULTIPART)).toMatchObject({
      status: 400,
      body: { error: 'Bad multipart body' },
    });
  });

  test('with bytes that look like its boundary keeps them', async () => {
    const content = Buffer.concat([
      HEADS['image/png'],
      Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n--${BOUNDARY}x\r\n--${BOUNDARY}-\r\n-\r\r\n\r\n--`),
    ]);
    const { body } = await sendParts(lp, receiptParts(orderId, content));
    const answer = await lp.call('GET', `/api/receipts/${body.receipt_key}`);
    expect(content.equals(answer.body)).toBe(true);
  });
});

test('a connection that breaks during an upload leaves nothing behind', async () => {
  const { host, port } = corridor.config;
  const body = multipart(receiptParts(orderId, fileOf(HEADS['image/png'], 1_000_000)));
  const socket = connect(port, host);
  socket.write(
    `POST /api/lp/${lp.key}/receipt HTTP/1.1\r\nHost: corridor\r\nAuthorization: Bearer ${lp.key}\r\n` +
      `Content-Type: ${MULTIPART['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 500_000));
  await eventually(async () => (await incoming()).length === 1);
  const before = await kept();
  socket.destroy();
  await eventually(async () => (await incoming()).length === 0);
  expect(await kept()).toEqual(before);
});

test('an upload gets a 503 while the disk cannot store it, and succeeds afterwards', async () => {
  const path = join(folder, 'receipts', 'incoming');
  await rename(path, `${path}.away`);
  await symlink(join(folder, 'not there', 'at all'), path);
  try {
    expect(await upload(lp, orderId, png)).toMatchObject({
      status: 503,
      body: { error: 'Service temporarily unavailable' },
    });
  } finally {
    await unlink(path);
    await rename(`${path}.away`, path);
  }
  await expectStatus(201, upload(lp, orderId, png));
});

describe('a receipt', () => {
  let url: string;
  beforeAll(async () => {
    url = new URL((await expectStatus(201, upload(lp, orderId, png))).receipt_url).pathname;
  });

  test('is served to the order’s LP, its agent and admins, as a download and not for display', async () => {
    for (const call of [lp.call, agent.call, corridor.admin]) {
      const { status, body, headers } = await call('GET', url);
      expect([status, png.equals(body)]).toEqual([200, true]);
      expect(headers.get('content-length')).toBe(String(png.length));
      expect(headers.get('content-disposition')).toBe(`attachment; filename="receipt-${orderId}.png"`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test('gets a 404 for every other caller, as does an unknown key', async () => {
    const strangers = [await corridor.newAgent(), await corridor.newLp()];
    const missing = { status: 404, body: { error: 'Not found' } };
    for (const call of [...strangers.map((s) => s.call), corridor.anyone, corridor.as('nonsense')]) {
      expect(await call('GET', url)).toMatchObject(missing);
    }
    for (const key of [`rcpt_${'0'.repeat(48)}`, '..%2f..%2fsecrets', 'incoming', 'x'.repeat(500)]) {
      expect(await corridor.admin('GET', `/api/receipts/${key}`)).toMatchObject(missing);
    }
  });

  test('is not in the public view of the order', async () => {
    expect(await expectStatus(200, corridor.anyone('GET', `/api/orders/${orderId}`))).not.toHaveProperty(
      'receipt_url',
    );
  });
});

test('the document describes the form and the bytes', async () => {
  const { paths } = (await corridor.anyone('GET', '/openapi.json')).body;
  const { requestBody } = paths['/api/lp/{lp_key}/receipt'].post;
  const { schema } = requestBody.content['multipart/form-data'];
  expect([requestBody.required, schema.required]).toEqual([true, ['order_id', 'file']]);
  expect(schema.properties.file).toMatchObject({
    type: 'string',
    format: 'binary',
    maxLength: MAX_RECEIPT_BYTES,
  });
  const { content } = paths['/api/receipts/{receipt_key}'].get.responses['200'];
  expect(Object.keys(content).sort()).toEqual(Object.keys(HEADS).sort());
});

test('an LP can upload a limited number of receipts a minute', async () => {
  const limited = await startCorridor({
    databaseUrl: corridor.databaseUrl,
    env: { DATA_DIR: folder, UPLOAD_RATE_LIMIT: '2' },
    worker: false,
  });
  try {
    const own = { ...lp, call: limited.as(lp.key) };
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await upload(own, orderId, png));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect(answers[2]?.body).toEqual({ error: 'Too many requests' });
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await limited.stop();
  }
});
