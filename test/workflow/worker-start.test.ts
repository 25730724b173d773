import { expect, test } from '@jest/globals';
import type { ActivityDeps } from '../../activities/deps.ts';
import { workflowBundle } from '../../src/service/worker/bundle.ts';
import { startWorker } from '../../src/service/worker/worker.ts';
import { testEnvironment } from '../support/environment.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { useCorridor } from '../support/use-corridor.ts';

// Its own worker starts first, because the SDK's runtime is set up once for all workers of a process.
const corridor = await useCorridor();

test.each([
  ['before the worker has connected', true],
  ['after the worker has connected', false],
])('a start of a worker names the server if Temporal ends %s', async (_when, isEarly) => {
  const [host = '', port] = testEnvironment().temporalAddress.split(':');
  const proxy = await startTcpProxy(host, Number(port));
  const address = `${proxy.host}:${proxy.port}`;
  if (isEarly) proxy.cut();
  const starting = startWorker({
    address,
    namespace: corridor.config.temporalNamespace,
    // The activities are made between the two.
    activities: new Proxy({} as ActivityDeps, { get: () => void proxy.cut(), ownKeys: () => [] }),
    log: corridor.shared.log,
    bundle: await workflowBundle(),
    release: undefined,
  });
  await expect(starting).rejects.toThrow(`Temporal at ${address} cannot be used (`);
  await proxy.close();
});
