import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { type Agent, claim, newAgent, newLp, newOrder, type TestLp } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { largestFile, MULTIPART, multipart, receiptParts } from '../../support/receipts.ts';
import { S3_KEYS, startS3, type TestS3 } from '../../support/s3-server.ts';

/** The limit: this many concurrent uploads of the largest size use at most this much memory. */
const UPLOADS = 50;
const EXTRA_BYTES = 64 * 1024 * 1024;

let corridor: TestCorridor;
let databaseUrl: string;
let lp: TestLp;
let agent: Agent;
let folder: string;
let s3: TestS3;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-data-'));
  s3 = await startS3();
  databaseUrl = await freshDatabase();
  corridor = await startCorridor({ databaseUrl });
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
});
/** An order takes a limited number of receipts. */
const claimedOrder = async (): Promise<number> => {
  const orderId = await newOrder(agent);
  await expectStatus(200, claim(lp, orderId));
  return orderId;
};
afterAll(async () => {
  await corridor.stop();
  await s3.close();
  await rm(folder, { recursive: true });
});

/** An API in its own process, with its own data folder. */
async function startApi(
  name: string,
  settings: Record<string, string>,
): Promise<{ process: TestProcess; baseUrl: string; dataDir: string }> {
  const port = await freePort();
  const dataDir = join(folder, name);
  const process = run('src/main.ts', ['api'], {
    ...databaseSettings(databaseUrl),
    TEMPORAL_ADDRESS: corridor.shared.temporalAddress,
    TEMPORAL_NAMESPACE: corridor.config.temporalNamespace,
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    LOG_LEVEL: 'warn',
    UPLOAD_RATE_LIMIT: '0',
    PORT: String(port),
    DATA_DIR: dataDir,
    ...settings,
  });
  await process.prints('is running');
  return { process, baseUrl: `http://127.0.0.1:${port}`, dataDir };
}

interface Upload {
  /** Resolves when all but the last bytes have left this process. */
  sent: Promise<void>;
  finish: () => void;
  status: Promise<number | undefined>;
}

/** Sends the largest file, and holds back its last bytes until `finish` is called. */
function beginUpload(baseUrl: string, body: Buffer): Upload {
  const headers = { ...MULTIPART, authorization: `Bearer ${lp.key}`, 'content-length': body.length };
  const outgoing = request(`${baseUrl}/api/lp/${lp.key}/receipt`, { method: 'POST', headers, agent: false });
  const held = body.length - 1_000;
  return {
    sent: new Promise((resolve) => outgoing.write(body.subarray(0, held), () => resolve())),
    finish: () => outgoing.end(body.subarray(held)),
    status: new Promise((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
    }),
  };
}

/** Reads a line of `/proc/<pid>/status`, in bytes. `VmHWM` is the peak of `VmRSS`. */
const memory = (pid: number, line: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
};

const onLinux = existsSync('/proc/self/status') ? describe : describe.skip;
onLinux(`${UPLOADS} uploads of the largest file at once`, () => {
  test.each(['disk', 's3'])('stay within their memory limit on the way to %s', async (store) => {
    const settings: Record<string, string> =
      store === 'disk'
        ? {}
        : {
            RECEIPTS_S3_ENDPOINT: s3.endpoint,
            RECEIPTS_S3_BUCKET: S3_KEYS.bucket,
            RECEIPTS_S3_REGION: S3_KEYS.region,
            RECEIPTS_S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
            RECEIPTS_S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
          };
    const api = await startApi(store, settings);
    const incoming = () => readdir(join(api.dataDir, 'receipts', 'incoming'));
    try {
      const body = multipart(receiptParts(await claimedOrder(), largestFile));
      // First this many small uploads, so that the test measures the cost of large files and not of connections and code.
      const as = createCaller(api.baseUrl, lp.key);
      const small = multipart(receiptParts(await claimedOrder(), largestFile.subarray(0, 1_000)));
      const sendSmall = () => expectStatus(201, as('POST', `/api/lp/${lp.key}/receipt`, small, MULTIPART));
      const [first] = await Promise.all(Array.from({ length: UPLOADS }, sendSmall));
      const { body: content, status } = await as('GET', `/api/receipts/${first.receipt_key}`);
      expect([status, content.equals(largestFile.subarray(0, 1_000))]).toEqual([200, true]);
      const before = memory(api.process.pid, 'VmRSS');

      const uploads = Array.from({ length: UPLOADS }, () => beginUpload(api.baseUrl, body));
      await Promise.all(uploads.map(({ sent }) => sent));
      // All uploads are in flight, and none has ended.
      await eventually(async () => (await incoming()).length === UPLOADS);
      for (const { finish } of uploads) finish();
      const statuses = await Promise.all(uploads.map(({ status }) => status));
      expect(statuses).toEqual(Array.from({ length: UPLOADS }, () => 201));

      const extra = memory(api.process.pid, 'VmHWM') - before;
      expect(extra).toBeLessThan(EXTRA_BYTES);
      expect(await incoming()).toEqual([]);
    } finally {
      api.process.kill('SIGTERM');
      await api.process.ended;
    }
  });
});
