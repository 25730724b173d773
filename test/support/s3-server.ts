import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A bucket as S3's documentation describes it: path-style, every request signed (Signature Version 4). */
export interface TestS3 {
  endpoint: string;
  /** The keys of the stored files, with their media types. */
  objects: Map<string, string>;
  read: (key: string) => Promise<Buffer>;
  /** The status and code with which the server refuses the next requests. */
  refuse: (status: number, code: string) => void;
  serve: () => void;
  close: () => Promise<void>;
}

export const S3_KEYS = {
  bucket: 'receipts',
  region: 'test-1',
  accessKeyId: 'TESTACCESSKEY',
  secretAccessKey: 'test-secret-of-the-bucket',
};

export async function startS3(): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-s3-'));
  const objects = new Map<string, string>();
  let refusal: { status: number; code: string } | undefined;

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    read: (key) => readFile(join(folder, key)),
    refuse: (status, code) => {
      refusal = { status, code };
    },
    serve: () => {
      refusal = undefined;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, code: string) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
    };
    const [, bucket, key = ''] = /^\/([^/]+)\/([\w.-]+)$/.exec(request.url ?? '') ?? [];
    if (refusal) return refuse(refusal.status, refusal.code);
    if (!isSigned(request)) return refuse(403, 'SignatureDoesNotMatch');
    if (bucket !== S3_KEYS.bucket) return refuse(404, 'NoSuchBucket');
    const file = join(folder, basename(key));
    if (request.method === 'PUT') {
      if (!request.headers['content-length']) return refuse(411, 'MissingContentLength');
      await pipeline(request, createWriteStream(file));
      objects.set(key, request.headers['content-type'] ?? 'binary/octet-stream');
      response.end();
    } else if (request.method === 'DELETE') {
      objects.delete(key);
      await rm(file, { force: true });
      response.writeHead(204).end();
    } else {
      if (!(await readdir(folder)).includes(key)) return refuse(404, 'NoSuchKey');
      response.writeHead(200, { 'content-length': (await stat(file)).size });
      await pipeline(createReadStream(file), response);
    }
  }
}

/** Computes the signature from the received request, without the library that signed it. */
function isSigned({ method, url = '', headers }: IncomingMessage): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', signed = '', given = ''] = form.exec(headers.authorization ?? '') ?? [];
  const time = String(headers['x-amz-date']);
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const names = signed.split(';');
  const mustBeSigned = ['host', 'x-amz-content-sha256', 'x-amz-date'];
  if (id !== S3_KEYS.accessKeyId || region !== S3_KEYS.region || !time.startsWith(day)) return false;
  if (!(Math.abs(Date.now() - sentAt) < 15 * 60_000)) return false;
  if (!mustBeSigned.every((name) => names.includes(name))) return false;

  const [path, query = ''] = url.split('?');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const request = [method, path, query, lines, signed, headers['x-amz-content-sha256']].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(request).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${S3_KEYS.secretAccessKey}`,
  );
  const wanted = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash].join('\n'));
  return timingSafeEqual(wanted, Buffer.from(given, 'hex'));
}
