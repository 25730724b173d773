import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { cleanUpOnSignals, createCleanup } from '../../dev/cleanup.ts';
import { runCommand } from '../../src/service/embedded/run-command.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type OrdersReport, runOrders } from '../kernel/orders-run.ts';
import { faultsOf, summaryOf } from '../kernel/report.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../kernel/service.ts';
import { type Arrangement, prepareArrangement } from './arrangement.ts';
import { makeBaseImages } from './base-images.ts';
import { checkImage } from './check-image.ts';
import { openEngine } from './engine.ts';
import { replaceEverything } from './replacements.ts';

const USAGE = `usage: npm run test:containers -- [--orders N] [--seed N] [--from COMMIT]

Builds the image, starts the arrangement of docker-compose.yml in containers, runs the demo through the balancer, and then
orders. While they run, it upgrades the arrangement from an earlier commit, and kills and replaces each container in turn.
At the end it checks that nothing was lost. Needs root and podman. The first run makes the base images, in some six minutes.
  --orders  at least so many orders (60)
  --seed    the same seed makes the same choices (1)
  --from    the commit to upgrade from (HEAD~1)`;

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const IMAGE = 'localhost/corridor:latest';
const CONCURRENCY = 12;
const MAX_MINUTES = 15;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: 'HEAD~1' },
    help: { type: 'boolean', short: 'h' },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const cleanup = createCleanup(say);
cleanUpOnSignals(() => cleanup.run());

if (values.help) say(USAGE);
else await main().finally(() => cleanup.run());

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-containers-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const images = await makeImages(folder);
  // The services are started from the earlier commit. The upgrade gives its name to the new image.
  await images.use(images.previous);
  const arrangement = await prepareArrangement(folder, cleanup);
  await timed('the arrangement runs', () => startAll(arrangement));
  const steps: string[] = [];
  const report = await runOrders(
    arrangement,
    {
      seed: Number(values.seed),
      orders: Number(values.orders),
      concurrency: CONCURRENCY,
      endWithinMs: 120_000,
      say,
    },
    () => {
      const replacing = replaceEverything(
        arrangement,
        () => images.use(images.current),
        (step) => {
          steps.push(step);
          say(step);
        },
      );
      return { ...replacing, maxDurationMs: MAX_MINUTES * 60_000 };
    },
  );
  show(report, steps);
  await timed('the demo has run through the balancer', () => runDemo(arrangement));
}

/** Builds the image of this checkout and the one of the earlier commit. */
async function makeImages(folder: string) {
  const engine = await openEngine({ project: 'corridor-test-images', files: [], folder: PROJECT, env: {} });
  await timed('the base images exist', async () => makeBaseImages(engine, await imageNames(), say));
  const current = 'localhost/corridor-test/current';
  const previous = 'localhost/corridor-test/previous';
  await timed('built the image', () => engine.build(PROJECT, join(PROJECT, 'Dockerfile'), current));
  for (const fact of await checkImage(engine, current)) say(fact);
  const source = join(folder, 'previous');
  await mkdir(source);
  await runCommand('git', ['archive', '--output', `${source}.tar`, values.from], { cwd: PROJECT });
  await runCommand('tar', ['--extract', '--file', `${source}.tar`, '--directory', source]);
  await timed(`built the image of ${values.from}`, () =>
    engine.build(source, join(source, 'Dockerfile'), previous),
  );
  return { current, previous, use: (image: string) => engine.podman('tag', image, IMAGE) };
}

/** The names of the base images, as the Dockerfile and the Compose file write them. */
async function imageNames(): Promise<Parameters<typeof makeBaseImages>[1]> {
  const dockerfile = await readFile(join(PROJECT, 'Dockerfile'), 'utf8');
  const [node = '', debian = ''] = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(
    ([, name]) => `docker.io/library/${name}`,
  );
  const compose = parse(await readFile(join(PROJECT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const imageOf = (service: string): string => compose.services[service].image;
  return {
    ...{ node, debian },
    nginx: `docker.io/library/${imageOf('balancer')}`,
    postgres: `docker.io/library/${imageOf('postgres')}`,
    temporal: ['temporal', 'temporal-schema'].map((service) => `docker.io/${imageOf(service)}`),
  };
}

async function startAll(arrangement: Arrangement): Promise<void> {
  await arrangement.runOnce('temporal-schema');
  await arrangement.start('temporal');
  await arrangement.runOnce('migrate');
  await arrangement.start('worker');
  await arrangement.start('api');
  await arrangement.start('balancer');
  const [url = ''] = arrangement.baseUrls;
  await eventually(() =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** Runs `npm run demo` beside the only worker left, which reaches the demo's receiver of webhooks on its own loopback address. */
async function runDemo({ engine, container }: Arrangement): Promise<void> {
  const settings = {
    PUBLIC_URL: 'http://balancer:8080',
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    TEMPORAL_ADDRESS: 'temporal:7233',
  };
  await engine.podman('stop', container('worker', 2));
  // After a change of containers, the engine's name server is away for a moment.
  const isReady = `fetch('${settings.PUBLIC_URL}/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  await eventually(() =>
    engine.podman('exec', container('worker'), 'node', '--eval', isReady).then(
      () => true,
      () => false,
    ),
  );
  const out = await engine.podman(
    ...['run', '--rm', '--network', `container:${container('worker')}`],
    ...['--ulimit', 'nofile=1000:1000', '--ulimit', 'nproc=1000:1000', '--volume', `${PROJECT}:/checkout:ro`],
    ...['--workdir', '/checkout'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...['localhost/corridor-test/current', 'node', 'demo/main.ts'],
  );
  if (!/is completed since/.test(out)) throw new Error(`the demo did not complete its order:\n${out}`);
}

function show(report: OrdersReport, steps: string[]): void {
  for (const line of faultsOf(report)) say(line);
  say(summaryOf(report, [['replacements', steps.length]]));
  if (report.stuck.length + report.breaches.length > 0) process.exitCode = 1;
  else say('nothing was lost');
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await work();
  say(`${what} (${Math.round((Date.now() - started) / 1_000)} s)`);
  return result;
}
