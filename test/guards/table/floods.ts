import { inFile } from '../guard.ts';

const STRANGERS = 'test/attacks/floods/strangers.test.ts';
const POOL_HALF = 'test/attacks/floods/pool-half.test.ts';

/** What a stranger cannot take from others by sending much, and which secrets a start and the Helm chart keep. */
export const FLOODS = [
  ...inFile('src/http/one-at-a-time.ts', 'test/attacks/floods/pipelining.test.ts', [
    ['floods: one request of a connection is served at a time', 'if (!turns.isServing) {',
      'if (!turns.isServing || !turns.isOver) {', 'a connection has one request served at a time, in order'],
    ['floods: few requests of a connection wait', 'if (turns.waiting.length < MOST_WAITING)',
      'if (turns.waiting.length < 2 * MOST_WAITING)', 'of 2,000 requests in one piece, a few wait'],
    ['floods: nothing is done for a client that has left', '  if (!socket.writable) turns.waiting = [];\n',
      '', 'the waiting requests of a client that has left are not served']]),
  ...inFile('src/process/remembered.ts', 'test/attacks/floods/public-reads.test.ts', [
    ['floods: a public read is computed once a second', 'remembered(read, PUBLIC_MS, 0);',
      'remembered(read, 0 * PUBLIC_MS, 0) && read;', 'is computed once for all who ask within a second']]),
  ...inFile('src/http/access/address-limit.ts', STRANGERS, [
    ['floods: an address has a limit without a key', 'const within = window.requests < max;',
      'const within = window.requests < 100 * max;', 'holds on every route that needs none']]),
  ...inFile('src/api/pipeline/strangers.ts', STRANGERS, [
    ['floods: a key that no route asks for evades no limit', "auth === 'none' || (ctx.get", '(ctx.get',
      'is not evaded by a key that no route has asked for'],
    ['floods: a foreign page creates no rows',
      "  if (isFromForeignPage(ctx.req, settings)) throw new HttpError('origin_refused');\n",
      '  isFromForeignPage(ctx.req, settings);\n', 'creates no rows through its visitors']]),
  ...inFile('src/api/pipeline/run.ts', STRANGERS, [
    ['floods: an invented cookie evades no limit',
      '  if (serving.presented.refusal !== undefined) strangers.count(ctx);\n', '',
      'is not evaded by invented session cookies'],
    ['floods: an address creates few rows without a key', '  first(({ ctx, route, deps }) => limitCreation(ctx, route, deps)),\n', '',
      'an address creates few rows in an hour without a key']]),
  ...inFile('src/api/pipeline/strangers.ts', POOL_HALF, [
    ['floods: strangers leave half of the pool', 'const places = Math.floor(databasePoolSize / 2);',
      'const places = 2 * databasePoolSize;',
      'strangers leave half of the connections to callers with a key']]),
  ...inFile('src/api/pipeline/run.ts', 'test/attacks/floods/one-key.test.ts', [
    ['floods: commands of one key take turns',
      'await keys.command(route, principal, () => route.handle(request))', 'await route.handle(request)',
      'payments of one agent take few connections'],
    ['floods: reads of one key take turns',
      '  ({ ctx, route, keys }, next) => keys.read(ctx, route, next),\n', '', 'reads of one key take few connections']]),
  ...inFile('src/api/pipeline/authenticate.ts', STRANGERS, [
    ['floods: a request without any key is no failure',
      "auth !== 'none' && (ctx.get('authorization') !== '' || (presented.isTried && !isOptional(auth)))",
      "auth !== 'none' && (ctx.get('authorization') !== '' || !isOptional(auth))",
      'do not lock the address out, as a page full of images would'],
    ['floods: a wrong key is a failure', "auth !== 'none' && (ctx.get('authorization') !== '' ||",
      "auth !== 'none' && (", 'but wrong keys do']]),
  ...inFile('src/notify/feed/admission.ts', STRANGERS, [
    ['floods: a socket without any key is no failure', 'if (presentsKey) await noteFailure',
      'if (presentsKey || address) await noteFailure', 'nor does the cookie of an ended session'],
    ['floods: a foreign page opens no socket',
      "  if (isFromForeignPage(request, settings)) throw new HttpError('origin_refused');\n",
      '  isFromForeignPage(request, settings);\n',
      'opens no socket, and locks its visitor out with no wrong key']]),
  ...inFile('src/notify/feed/admission.ts', POOL_HALF, [
    ['floods: strangers on the feed take no connection of the database',
      "  if (!presentsKey && sessionToken(request, settings) === undefined) throw new DomainError('lp_unauthorized');\n  const address = clientAddress(request, settings.trustProxyHops);\n  if (presentsKey) await refuseBlocked",
      '  const address = clientAddress(request, settings.trustProxyHops);\n  await refuseBlocked',
      'strangers on the feed take no connection']]),
  ...inFile('src/api/pipeline/run.ts', POOL_HALF, [
    ['floods: a slow body takes no turn', '  await readBody();\n  return strangers', '  return strangers',
      'strangers who send their bodies slowly keep no other one waiting']]),
  ...inFile('src/api/pipeline/key-limit.ts', STRANGERS, [
    ['floods: payments are counted for their key', '`${auth}:${principal.id}${address}`',
      '`${auth}${address}`', 'do not use up the payments of an agent at the same address']]),
  ...inFile('src/api/resources/receipts/routes.ts', 'test/attacks/floods/uploads.test.ts', [
    ['floods: an order takes a limited number of receipts', '>= MOST_RECEIPTS)', '>= 9 * MOST_RECEIPTS)',
      'an order takes a limited number of receipts'],
    ['floods: an upload is refused before its file arrives', 'if (data) await admit(Number(data.order_id));',
      '', 'order is refused before its file arrives']]),
  ...inFile('src/api/resources/collateral-deposits/routes.ts', 'test/attacks/floods/deposits.test.ts', [
    ['floods: announcements of an LP have a rate limit',
      "keyLimit: { name: 'announce-deposit', max: settings.limits.announceDeposit },", '',
      'announces few deposits in a minute']]),
  ...inFile('src/service/embedded/temporal-binary.ts', 'test/system/unit/temporal-binary.test.ts', [
    ['start: a forged Temporal is not run', 'if (found !== expected) throw', "if (found === '') throw",
      'a download with another checksum is not run']]),
  ...inFile('src/service/embedded/temporal.ts', 'test/system/e2e/start.test.ts', [
    ['start: others cannot read what the embedded Temporal stores', 'process.umask(0o077)',
      'process.umask(0o022)', 'a first start is ready, shows where everything is']]),
  ...inFile('src/service/start/summary.ts', 'test/unit/start-summary.test.ts', [
    ['start: a supplied admin key is not printed', 'config.secrets.adminApiKey ?',
      'config.secrets.adminApiKey === undefined ?', 'a start in development shows its mode']]),
  ...inFile('src/settings/secrets.ts', 'test/unit/development-secrets.test.ts', [
    ['start: a weak secret in the file of secrets is refused', '  refuseWeak(used, file);\n',
      '  if (file === used.adminApiKey) refuseWeak(used, file);\n',
      'a value that somebody has written into the file keeps the rules of the settings']]),
  ...inFile('docs/generate/helm-chart.ts', 'test/unit/helm-chart.test.ts', [
    ['chart: values take no secret', 'filter((name) => !SECRET.test(name))', 'filter(() => true)',
      'include no name that sounds secret']]),
];
