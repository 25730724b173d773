import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AwsV4Signer } from 'aws4fetch';
import type { ReceiptStore } from './ports.ts';

/** A bucket, and the keys of somebody who may read, write and delete in it. */
export interface S3Bucket {
  /** `https://s3.example.com`; the bucket is named in the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Shorter than a balancer's patience, so that the caller hears of a bucket that hangs from us. */
const ANSWER_WITHIN_MS = 20_000;

/** Keeps receipts in a bucket of an S3-compatible store. */
export function createS3ReceiptStore({ endpoint, bucket, ...credentials }: S3Bucket): ReceiptStore {
  const send = async (method: string, key: string, file?: { body: Blob; type: string }) => {
    const signer = new AwsV4Signer({
      ...credentials,
      service: 's3',
      method,
      url: `${endpoint}/${bucket}/${key}`,
      headers: file ? { 'content-type': file.type } : {},
    });
    const { url, headers } = await signer.sign();
    const clock = new AbortController();
    const timer = setTimeout(
      () => clock.abort(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)),
      ANSWER_WITHIN_MS,
    );
    // The clock stops with the answer's head: how fast its body is read is up to the one who downloads it.
    return fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: clock.signal,
      ...(file ? { body: file.body } : {}),
    }).finally(() => clearTimeout(timer));
  };

  return {
    put: async (key, { path, type }) => {
      // Read from the disk while it is sent; its length is known, which S3 insists on.
      const response = await send('PUT', key, { body: await openAsBlob(path), type });
      if (!response.ok) throw await failure('PUT', response);
      await response.body?.cancel();
    },
    open: async (key) => {
      const response = await send('GET', key);
      if (response.ok && response.body) return Readable.fromWeb(response.body as ReadableStream);
      const error = await failure('GET', response);
      if (error.code === 'NoSuchKey') return null;
      throw error;
    },
    remove: async (key) => {
      const response = await send('DELETE', key);
      if (!response.ok && response.status !== 404) throw await failure('DELETE', response);
      await response.body?.cancel();
    },
  };
}

/** What the store has against a request: its code alone, since its message may repeat the signature. */
async function failure(method: string, response: Response): Promise<Error & { code: string }> {
  const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(await response.text()) ?? [];
  const error = new Error(`the receipt store answered ${response.status} (${code}) to ${method}`);
  return Object.assign(error, { code });
}
