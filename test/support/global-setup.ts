import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { keepCompiledCode } from '../../src/process/compiled-code.ts';
import { freePort } from '../../src/process/free-port.ts';
import { startPostgres } from '../../src/service/embedded/postgres.ts';
import { roleUrl } from '../../src/service/embedded/roles.ts';
import { startTemporal } from '../../src/service/embedded/temporal.ts';
import { findTemporal } from '../../src/service/embedded/temporal-binary.ts';
import { bundleWorkflows } from '../../src/service/worker/bundle.ts';
import { publishEnvironment } from './environment.ts';

declare global {
  var stopTestServers: (() => Promise<void>) | undefined;
}

/** Real servers, once for all test files: PostgreSQL with a migrated template, Temporal, the workflow bundle. */
export default async function globalSetup(): Promise<void> {
  // Jest's workers, and the thread of each worker that carries out workflows, start after this.
  keepCompiledCode();
  const folder = await mkdtemp(join(tmpdir(), 'corridor-test-'));
  // If root runs the tests, PostgreSQL's user must enter this folder without a capability.
  await chmod(folder, 0o711);
  const progress = (message: string) => process.stderr.write(`\ntests: ${message}`);
  const temporalBinary = await findTemporal({
    env: process.env,
    progress,
    signal: new AbortController().signal,
  });
  const [postgres, temporal, bundle] = await Promise.all([
    // The data is temporary, so it need not reach the disk.
    startPostgres(join(folder, 'postgres'), [
      ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=256MB'],
      // PostgreSQL cannot copy the template while autovacuum is connected to it.
      'autovacuum=off',
      // There are thousands of connections, and each would compute 4,096 hashes of its password on both sides.
      'scram_iterations=1',
      // `storms/market` replays events in the order of their commits.
      'track_commit_timestamp=on',
    ]),
    startTemporal({
      binary: temporalBinary,
      file: join(folder, 'temporal.sqlite'),
      uiPort: await freePort(),
      synchronous: 'off',
      dynamicConfig: {
        // A few hundred events are enough for an order to continue in another run.
        'limit.historyCount.suggestContinueAsNew': '400',
        // Each file creates a namespace, and need not wait until the server knows its search attributes.
        'system.forceSearchAttributesCacheRefreshOnRead': 'true',
      },
    }),
    bundleWorkflows(),
  ]);
  globalThis.stopTestServers = async () => {
    await temporal.stop();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    // Otherwise Jest would end without the teardown, and the servers would keep running.
    process.once(signal, () => void globalThis.stopTestServers?.().finally(() => process.exit(code)));
  }

  const bundlePath = join(folder, 'workflows.js');
  await writeFile(bundlePath, bundle);
  const db = await openDatabase({ url: postgres.url, debug: () => undefined });
  await db.query('create-template', 'create database corridor_template owner corridor_owner', []);
  await db.close();
  const template = postgres.url.replace(/\/postgres$/, '/corridor_template');
  await migrate({ url: roleUrl(template, 'owner'), debug: () => undefined });

  publishEnvironment({
    adminUrl: postgres.url,
    templateName: 'corridor_template',
    temporalAddress: temporal.address,
    serverLogs: [join(folder, 'temporal.sqlite.log'), join(folder, 'postgres', 'server.log')],
    temporalBinary,
    bundlePath,
    contractLog: join(folder, 'contract-seen.txt'),
    contractDocument: join(folder, 'openapi.json'),
  });
}
