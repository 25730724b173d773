import { open } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AwsV4Signer } from 'aws4fetch';
import type { FileToKeep, ReceiptStore } from './ports.ts';

/** A bucket, and keys that may read, write and delete in it. */
export interface S3Bucket {
  /** `https://s3.example.com`. The path names the bucket. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Shorter than a load balancer's timeout, so that the client gets Corridor's error when the store hangs. */
const ANSWER_WITHIN_MS = 20_000;
const MAX_ERROR_BYTES = 64 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Stores receipts in a bucket of an S3-compatible store. */
export function createS3ReceiptStore({ endpoint, bucket, ...credentials }: S3Bucket): ReceiptStore {
  const send = async (method: string, key: string, file?: FileToKeep) => {
    const given = file ? { 'content-type': file.type, 'content-length': String(file.size) } : {};
    const url = `${endpoint}/${bucket}/${key}`;
    const signer = new AwsV4Signer({ ...credentials, service: 's3', method, url, headers: given });
    const { headers } = await signer.sign();
    return exchange(method, url, Object.fromEntries(headers), file?.path);
  };

  return {
    put: async (key, file) => {
      const response = await send('PUT', key, file);
      if (!isOk(response)) throw await failure('PUT', response);
      response.resume();
    },
    open: async (key) => {
      const response = await send('GET', key);
      if (isOk(response)) return response;
      const error = await failure('GET', response);
      if (error.code === 'NoSuchKey') return null;
      throw error;
    },
    remove: async (key) => {
      const response = await send('DELETE', key);
      if (!isOk(response)) throw await failure('DELETE', response);
      response.resume();
    },
  };
}

/**
 * Sends one request whose body is a file. `fetch` would read the whole file into memory first. Resolves with the
 * response when its headers have arrived. The downloading client determines how fast the rest is read.
 */
async function exchange(
  method: string,
  url: string,
  headers: Record<string, string>,
  bodyPath: string | undefined,
): Promise<IncomingMessage> {
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, { method, headers });
  const clock = setTimeout(
    () => request.destroy(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`)),
    ANSWER_WITHIN_MS,
  );
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // If the store switches to another protocol, Node emits neither `response` nor `error`.
    request.on('close', () => reject(new Error('the connection ended without an answer')));
  });
  try {
    if (bodyPath === undefined) request.end();
    // The store may refuse before the whole file has arrived. Its response gives the reason, and the broken upload does not.
    else await Promise.race([sendFile(bodyPath, request), answered]);
    return await answered;
  } finally {
    clearTimeout(clock);
  }
}

/** Sends a file through one buffer, so that many concurrent uploads do not fill the memory with used buffers. */
async function sendFile(path: string, request: ClientRequest): Promise<void> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      await new Promise<void>((resolve, reject) => {
        request.write(buffer.subarray(0, bytesRead), (error) => (error ? reject(error) : resolve()));
      });
    }
    request.end();
  } finally {
    await file.close();
  }
}

const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

/** The store's error, only with its code, because its message may repeat the signature. */
async function failure(method: string, response: IncomingMessage): Promise<Error & { code: string }> {
  let text = '';
  const clock = setTimeout(() => response.destroy(), ANSWER_WITHIN_MS);
  try {
    for await (const chunk of response) {
      text += chunk;
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The store stopped sending. The text up to here may name the error, and the status is known.
  } finally {
    clearTimeout(clock);
  }
  const [, code = 'no code'] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
  const error = new Error(`the receipt store answered ${response.statusCode} (${code}) to ${method}`);
  return Object.assign(error, { code });
}
