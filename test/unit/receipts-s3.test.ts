import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ReceiptStore } from '../../src/adapters/ports.ts';
import { createS3ReceiptStore } from '../../src/adapters/receipts-s3.ts';
import { fileOf, HEADS } from '../support/receipts.ts';
import { S3_KEYS, startS3, type TestS3 } from '../support/s3-server.ts';

let s3: TestS3;
let store: ReceiptStore;
let folder: string;
beforeAll(async () => {
  s3 = await startS3();
  store = createS3ReceiptStore({ ...S3_KEYS, endpoint: s3.endpoint });
  folder = await mkdtemp(join(tmpdir(), 'corridor-receipts-'));
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true });
});

const content = fileOf(HEADS['application/pdf'], 300_000);
async function stored(key: string): Promise<void> {
  const path = join(folder, key);
  await writeFile(path, content);
  await store.put(key, { path, type: 'application/pdf', size: content.length });
}

describe('a bucket', () => {
  test('accepts a file with a valid signature, and returns the same bytes', async () => {
    await stored('rcpt_1');
    expect(s3.objects.get('rcpt_1')).toBe('application/pdf');
    expect((await s3.read('rcpt_1')).equals(content)).toBe(true);
    const opened = await store.open('rcpt_1');
    expect(opened && (await buffer(opened)).equals(content)).toBe(true);
  });

  test('returns nothing for a key that is unknown or was removed', async () => {
    expect(await store.open('rcpt_2')).toBeNull();
    await stored('rcpt_3');
    await store.remove('rcpt_3');
    await store.remove('rcpt_3');
    expect(await store.open('rcpt_3')).toBeNull();
    expect(s3.objects.has('rcpt_3')).toBe(false);
  });

  test('refuses a wrong secret, and neither it nor the signature is in the error', async () => {
    const secretAccessKey = 'a-wrong-secret';
    const intruder = createS3ReceiptStore({ ...S3_KEYS, endpoint: s3.endpoint, secretAccessKey });
    const error = await intruder.open('rcpt_1').catch((e: Error) => e);
    expect(error).toEqual(new Error('the receipt store answered 403 (SignatureDoesNotMatch) to GET'));
  });

  test('that fails is an error for each use, not an absent value', async () => {
    s3.refuse(503, 'SlowDown');
    try {
      await expect(stored('rcpt_4')).rejects.toThrow('503 (SlowDown) to PUT');
      await expect(store.open('rcpt_1')).rejects.toThrow('503 (SlowDown) to GET');
      await expect(store.remove('rcpt_1')).rejects.toThrow('503 (SlowDown) to DELETE');
    } finally {
      s3.serve();
    }
    const nowhere = createS3ReceiptStore({ ...S3_KEYS, endpoint: s3.endpoint, bucket: 'missing' });
    // A missing bucket is a wrong setting, not a missing receipt.
    await expect(nowhere.open('rcpt_1')).rejects.toThrow('404 (NoSuchBucket)');
  });
});
