import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { rawRequest, sendRaw, statusesIn } from '../support/raw-http.ts';
import {
  BOUNDARY,
  fileOf,
  HEADS,
  MULTIPART,
  multipart,
  receiptParts,
  sendParts,
} from '../support/receipts.ts';

const folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
const corridor = await startCorridor({ env: { DATA_DIR: join(folder, 'data') } });
const lp = await corridor.newLp();
const orderId = await (await corridor.newAgent()).newOrder();
await expectStatus(200, lp.claim(orderId));
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const png = fileOf(HEADS['image/png'], 2_000);
const order = { name: 'order_id', content: '' };
const send = (file: object, content: Buffer = png) =>
  sendParts(lp, [
    { ...order, content: `${orderId}` },
    { name: 'file', content, filename: 'a.png', type: 'image/png', ...file },
  ]);
const storedFiles = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test.each([
  '../../../../etc/passwd',
  '..\\..\\windows.ini',
  '/etc/cron.d/x',
  'a.png\0.html',
  '%2e%2e%2fa',
  '.htaccess',
  'CON',
  'a.php',
  'x'.repeat(3_000),
  '\u202egnp.exe',
  '<img src=x onerror=alert(1)>.png',
  'a; rm -rf /.png',
  '$(id).png',
])('a file called %.40j is stored and returned under a name that Corridor chooses', async (filename) => {
  const { body } = await send({ filename });
  expect(body.receipt_key).toMatch(/^rcpt_[0-9a-f]{48}$/);
  const answer = await lp.call('GET', `/api/receipts/${body.receipt_key}`);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="receipt-${orderId}.png"`);
  expect(answer.headers.get('content-type')).toBe('image/png');
  expect((await storedFiles()).every((name) => /^rcpt_[0-9a-f]{48}$/.test(name))).toBe(true);
});

test.each([
  ['audio in the container of an image', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1')],
  ['a video', Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomiso2', 'latin1')],
  ['an image type that is not accepted', Buffer.from('\0\0\0\x18ftypavif\0\0\0\0mif1avif', 'latin1')],
  ['a box with a wrong length', Buffer.from('\xff\xff\xff\xffftypmif1\0\0\0\0', 'latin1')],
  ['a box without brands', Buffer.from('\0\0\0\x08ftyp', 'latin1')],
  ['a brand after the box', Buffer.from('\0\0\0\x10ftypmif1\0\0\0\0heic', 'latin1')],
  ['an unknown version of GIF', Buffer.from('GIF88a', 'latin1')],
  ['half of a signature', HEADS['image/png'].subarray(0, 7)],
  ['a signature after a space', Buffer.concat([Buffer.from(' '), HEADS['image/png']])],
  ['a PDF after HTML', Buffer.concat([Buffer.from('<html>'), HEADS['application/pdf']])],
  ['an archive', Buffer.from('PK\x03\x04\x14\0', 'latin1')],
  ['a program', Buffer.from('MZ\x90\0\x03\0', 'latin1')],
  ['another program', Buffer.from('\x7fELF\x02\x01', 'latin1')],
  ['a script', Buffer.from('#!/bin/sh\n')],
  ['text with a byte order mark', Buffer.from('\ufeff<svg xmlns="http://www.w3.org/2000/svg"/>')],
])('%s is refused, whatever its file name', async (_, content) => {
  const before = await storedFiles();
  for (const [filename, type] of [
    ['a.png', 'image/png'],
    ['a.heic', 'image/heic'],
    ['a.pdf', 'application/pdf'],
  ])
    expect((await send({ filename, type }, content)).status).toBe(400);
  expect(await storedFiles()).toEqual(before);
});

describe('a picture with an HTML page after its first bytes', () => {
  test('is saved by browsers and never run', async () => {
    const page = Buffer.concat([HEADS['image/gif'], Buffer.from('<script>alert(1)</script>')]);
    const { body } = await send({ filename: 'a.html', type: 'text/html' }, page);
    const { headers } = await lp.call('GET', `/api/receipts/${body.receipt_key}`);
    expect(headers.get('content-type')).toBe('image/gif');
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('a length', () => {
  const head = (length: number) => [
    `POST /api/lp/${lp.key}/receipt HTTP/1.1`,
    'Host: corridor',
    `Authorization: Bearer ${lp.key}`,
    `Content-Type: ${MULTIPART['content-type']}`,
    `Content-Length: ${length}`,
  ];

  test('that is too small ends the form there, and the rest is not read as a request', async () => {
    const before = await storedFiles();
    const body = multipart(receiptParts(orderId, png)).toString('latin1');
    const answer = await sendRaw(corridor.config.publicUrl, rawRequest(head(1_000), body));
    expect(new Set(statusesIn(answer))).toEqual(new Set([400]));
    expect(await storedFiles()).toEqual(before);
  });

  test('that is too large is refused before a byte is read', async () => {
    const lines = [...head(13 * 1024 * 1024), 'Connection: close'];
    expect(statusesIn(await sendRaw(corridor.config.publicUrl, rawRequest(lines)))).toEqual([413]);
  });

  test('or an encoding in the headers of a part is ignored', async () => {
    const type = 'image/png\r\nContent-Length: 3\r\nContent-Transfer-Encoding: base64';
    const { body } = await send({ type });
    const file = (await readdir(join(folder, 'data', 'receipts'))).find((name) => name === body.receipt_key);
    expect((await readFile(join(folder, 'data', 'receipts', file as string))).equals(png)).toBe(true);
  });
});

test('a compressed form is not decompressed', async () => {
  const packed = gzipSync(multipart(receiptParts(orderId, png)));
  const headers = { ...MULTIPART, 'content-encoding': 'gzip' };
  expect((await lp.call('POST', `/api/lp/${lp.key}/receipt`, packed, headers)).status).toBe(400);
});

test('if a form names two orders, the checked order is also the one that changes', async () => {
  const other = await corridor.newLp();
  for (const ids of [
    [orderId, 999_999],
    [999_999, orderId],
  ]) {
    const parts = ids.map((id) => ({ ...order, content: `${id}` }));
    const file = { name: 'file', content: png, filename: 'a.png' };
    expect((await sendParts(other, [...parts, file])).status).toBe(403);
    const { status, body } = await sendParts(lp, [...parts, file]);
    if (status === 201) expect(body.order_id).toBe(orderId);
    else expect(status).toBe(403);
  }
});

test.each([
  `multipart/form-data; boundary=${BOUNDARY}; boundary=other`,
  `multipart/form-data; boundary="${BOUNDARY}`,
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${'x'.repeat(71)}`,
  `multipart/mixed; boundary=${BOUNDARY}`,
  `text/plain; multipart/form-data; boundary=${BOUNDARY}`,
])('the type %s is refused or read exactly', async (type) => {
  const body = multipart(receiptParts(orderId, png));
  const { status } = await lp.call('POST', `/api/lp/${lp.key}/receipt`, body, { 'content-type': type });
  expect(status).toBe(400);
});
