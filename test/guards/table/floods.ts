import type { Guard } from '../guard.ts';

const PIPELINING = 'test/attacks/floods/pipelining.test.ts';
const STRANGERS = 'test/attacks/floods/strangers.test.ts';
const POOL_HALF = 'test/attacks/floods/pool-half.test.ts';
const UPLOADS = 'test/attacks/floods/uploads.test.ts';
const AUTHENTICATE = 'src/api/pipeline/authenticate.ts';
const PUBLIC_READS = 'test/attacks/floods/public-reads.test.ts';

/** What a stranger cannot take from others by sending much. */
export const FLOODS: readonly Guard[] = [
  {
    name: 'floods: one request of a connection is served at a time',
    file: 'src/http/one-at-a-time.ts',
    text: 'if (!turns.isServing) {',
    without: 'if (!turns.isServing || !turns.isOver) {',
    attack: { file: PIPELINING, name: 'a connection has one request served at a time, in order' },
  },
  {
    name: 'floods: few requests of a connection wait',
    file: 'src/http/one-at-a-time.ts',
    text: 'if (turns.waiting.length < MOST_WAITING)',
    without: 'if (turns.waiting.length < 2 * MOST_WAITING)',
    attack: { file: PIPELINING, name: 'of 2,000 requests in one piece, a few wait' },
  },
  {
    name: 'floods: nothing is done for a client that has left',
    file: 'src/http/one-at-a-time.ts',
    text: '  if (!socket.writable) turns.waiting = [];\n',
    without: '',
    attack: { file: PIPELINING, name: 'the waiting requests of a client that has left are not served' },
  },
  {
    name: 'floods: a public read is computed once a second',
    file: 'src/process/remembered.ts',
    text: 'remembered(read, PUBLIC_MS, 0);',
    without: 'remembered(read, 0 * PUBLIC_MS, 0) && read;',
    attack: { file: PUBLIC_READS, name: 'is computed once for all who ask within a second' },
  },
  {
    name: 'floods: an address has a limit without a key',
    file: 'src/http/access/address-limit.ts',
    text: 'const within = window.requests < max;',
    without: 'const within = window.requests < 100 * max;',
    attack: { file: STRANGERS, name: 'holds on every route that needs none' },
  },
  {
    name: 'floods: a key that no route asks for evades no limit',
    file: 'src/api/pipeline/strangers.ts',
    text: "auth === 'none' || (ctx.get",
    without: '(ctx.get',
    attack: { file: STRANGERS, name: 'is not evaded by a key that no route has asked for' },
  },
  {
    name: 'floods: an invented cookie evades no limit',
    file: 'src/api/pipeline/run.ts',
    text: '  if (presented.refusal !== undefined) strangers.count(ctx);\n',
    without: '',
    attack: { file: STRANGERS, name: 'is not evaded by invented session cookies' },
  },
  {
    name: 'floods: an address creates few rows without a key',
    file: 'src/api/pipeline/run.ts',
    text: '  await limitCreation(ctx, route, deps);\n',
    without: '  if (route.isHealthCheck) await limitCreation(ctx, route, deps);\n',
    attack: { file: STRANGERS, name: 'an address creates few rows in an hour without a key' },
  },
  {
    name: 'floods: strangers leave half of the pool',
    file: 'src/api/pipeline/strangers.ts',
    text: 'const places = Math.floor(databasePoolSize / 2);',
    without: 'const places = 2 * databasePoolSize;',
    attack: { file: POOL_HALF, name: 'strangers leave half of the connections to callers with a key' },
  },
  {
    name: 'floods: commands of one key take turns',
    file: 'src/api/pipeline/run.ts',
    text: 'await keys.command(route, principal, () => route.handle(request))',
    without: 'await route.handle(request)',
    attack: {
      file: 'test/attacks/floods/one-key.test.ts',
      name: 'payments of one agent take few connections',
    },
  },
  {
    name: 'floods: reads of one key take turns',
    file: 'src/api/pipeline/run.ts',
    text: 'await shared.keys.read(ctx, route, () => serveCaller(ctx, route, deps, shared));',
    without: 'await serveCaller(ctx, route, deps, shared);',
    attack: { file: 'test/attacks/floods/one-key.test.ts', name: 'reads of one key take few connections' },
  },
  {
    name: 'floods: a request without any key is no failure',
    file: AUTHENTICATE,
    text: "auth !== 'none' && (ctx.get('authorization') !== '' || (presented.isTried && !isOptional(auth)))",
    without: "auth !== 'none' && (ctx.get('authorization') !== '' || !isOptional(auth))",
    attack: { file: STRANGERS, name: 'do not lock the address out, as a page full of images would' },
  },
  {
    name: 'floods: a wrong key is a failure',
    file: AUTHENTICATE,
    text: "auth !== 'none' && (ctx.get('authorization') !== '' ||",
    without: "auth !== 'none' && (",
    attack: { file: STRANGERS, name: 'but wrong keys do' },
  },
  {
    name: 'floods: a socket without any key is no failure',
    file: 'src/notify/feed/admission.ts',
    text: 'if (presentsKey) await noteFailure',
    without: 'await noteFailure',
    attack: { file: STRANGERS, name: 'nor does the cookie of an ended session' },
  },
  {
    name: 'floods: strangers on the feed take no connection of the database',
    file: 'src/notify/feed/admission.ts',
    text: 'if (!presentsKey && sessionToken(',
    without: 'if (false && sessionToken(',
    attack: {
      file: 'test/attacks/floods/pool-half.test.ts',
      name: 'strangers on the feed take no connection',
    },
  },
  {
    name: 'floods: a slow body takes no turn',
    file: 'src/api/pipeline/run.ts',
    text: '  await readBody();\n  return strangers',
    without: '  return strangers',
    attack: {
      file: 'test/attacks/floods/pool-half.test.ts',
      name: 'strangers who send their bodies slowly keep no other one waiting',
    },
  },
  {
    name: 'floods: payments are counted for their key',
    file: 'src/api/pipeline/key-limit.ts',
    text: '`${auth}:${principal.id}${address}`',
    without: '`${auth}${address}`',
    attack: { file: STRANGERS, name: 'do not use up the payments of an agent at the same address' },
  },
  {
    name: 'floods: a foreign page creates no rows',
    file: 'src/api/pipeline/strangers.ts',
    text: "  if (isFromForeignPage(ctx.req, settings)) throw new HttpError('origin_refused');\n",
    without: '  isFromForeignPage(ctx.req, settings);\n',
    attack: { file: STRANGERS, name: 'creates no rows through its visitors' },
  },
  {
    name: 'floods: a foreign page opens no socket',
    file: 'src/notify/feed/admission.ts',
    text: "  if (isFromForeignPage(request, settings)) throw new HttpError('origin_refused');\n",
    without: '  isFromForeignPage(request, settings);\n',
    attack: { file: STRANGERS, name: 'opens no socket, and locks its visitor out with no wrong key' },
  },
  {
    name: 'floods: an order takes a limited number of receipts',
    file: 'src/api/resources/receipts/routes.ts',
    text: '>= MOST_RECEIPTS)',
    without: '>= 9 * MOST_RECEIPTS)',
    attack: { file: UPLOADS, name: 'an order takes a limited number of receipts' },
  },
  {
    name: 'floods: an upload is refused before its file arrives',
    file: 'src/api/resources/receipts/routes.ts',
    text: 'if (data) await admit(Number(data.order_id));',
    without: '',
    attack: { file: UPLOADS, name: 'order is refused before its file arrives' },
  },
  {
    name: 'floods: announcements of an LP have a rate limit',
    file: 'src/api/resources/collateral-deposits/routes.ts',
    text: "keyLimit: { name: 'announce-deposit', max: settings.limits.announceDeposit },",
    without: '',
    attack: { file: 'test/attacks/floods/deposits.test.ts', name: 'announces few deposits in a minute' },
  },
  {
    name: 'start: a forged Temporal is not run',
    file: 'src/service/embedded/temporal-binary.ts',
    text: 'if (found !== expected) throw',
    without: "if (found === '') throw",
    attack: {
      file: 'test/system/unit/temporal-binary.test.ts',
      name: 'a download with another checksum is not run',
    },
  },
  {
    name: 'start: others cannot read what the embedded Temporal stores',
    file: 'src/service/embedded/temporal.ts',
    text: 'process.umask(0o077)',
    without: 'process.umask(0o022)',
    attack: {
      file: 'test/system/e2e/start.test.ts',
      name: 'a first start is ready, shows where everything is',
    },
  },
  {
    name: 'start: a supplied admin key is not printed',
    file: 'src/service/start/summary.ts',
    text: 'config.secrets.adminApiKey ?',
    without: 'config.secrets.adminApiKey === undefined ?',
    attack: { file: 'test/unit/start-summary.test.ts', name: 'a start in development shows its mode' },
  },
  {
    name: 'start: a weak secret in the file of secrets is refused',
    file: 'src/settings/secrets.ts',
    text: '  refuseWeak(used, file);\n',
    without: '  if (file === used.adminApiKey) refuseWeak(used, file);\n',
    attack: {
      file: 'test/unit/development-secrets.test.ts',
      name: 'a value that somebody has written into the file keeps the rules of the settings',
    },
  },
];
