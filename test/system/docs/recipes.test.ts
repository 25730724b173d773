import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { filesOf, scratchCopy } from '../../support/checkout.ts';
import { testEnvironment } from '../../support/environment.ts';

/** Follows the recipes of CONTRIBUTING in a copy of the project: the places that they name are enough for the checks. */

const run = promisify(execFile);
let copy: ReturnType<typeof scratchCopy>;
let before: Map<string, string>;
beforeEach(() => {
  copy = scratchCopy();
  before = filesOf(copy.folder);
});
afterEach(() => copy.remove());

const npm = async (...args: string[]) => {
  const PATH = [process.env.PATH, dirname(testEnvironment().temporalBinary)].join(delimiter);
  await run('npm', ['run', ...args], { cwd: copy.folder, env: { ...process.env, PATH } });
};
const checkUnits = (...files: string[]) =>
  npm('coverage', '--', '--coverage=false', ...files.map((file) => `test/unit/${file}`));

/** Puts lines below the one that contains `mark`. */
function addBelow(file: string, mark: string, lines: string): void {
  const path = join(copy.folder, file);
  const all = readFileSync(path, 'utf8').split('\n');
  const at = all.findIndex((line) => line.includes(mark));
  if (at < 0) throw new Error(`${file} has no line with ${mark}`);
  writeFileSync(path, all.toSpliced(at + 1, 0, lines).join('\n'));
}

function replace(file: string, text: string, by: string): void {
  const path = join(copy.folder, file);
  const content = readFileSync(path, 'utf8');
  if (!content.includes(text)) throw new Error(`${file} does not contain ${text}`);
  writeFileSync(path, content.replace(text, by));
}

/** The files that differ from the project's. */
const changed = () => {
  const after = filesOf(copy.folder);
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name)).sort();
};

test('a setting has two places', async () => {
  addBelow(
    'src/settings/definitions.ts',
    "setting('UPKEEP_INTERVAL'",
    "  rest: setting('RECIPE_REST', duration('7s')),",
  );
  addBelow('docs/settings.md', '| `CLAIM_TIMEOUT`', '| `RECIPE_REST` | `7s` | a rest that a test adds |');
  await npm('docs:helm');
  await npm('typecheck');
  await checkUnits('setting', 'helm');
  expect(changed()).toEqual([
    'deploy/helm/corridor/values.schema.json',
    'docs/settings.md',
    'src/settings/definitions.ts',
  ]);
}, 600_000);

test('a status reason has one place, beside the code that finds it', async () => {
  const TABLE = 'src/domain/status-reasons.ts';
  addBelow(
    TABLE,
    '  agent_cancelled:',
    "  agent_left: { from: 'request', recipients, text: 'The agent left order {order}' },",
  );
  const giver = 'src/api/resources/payments/routes.ts';
  replace(
    giver,
    "reasonOf('agent_cancelled')",
    "order.id % 2 ? reasonOf('agent_cancelled') : reasonOf('agent_left', { order: order.id })",
  );
  for (const script of ['docs:lifecycle', 'docs:openapi', 'client:contract', 'record:statements'])
    await npm(script);
  await npm('typecheck');
  await checkUnits('status-reasons', 'lifecycle', 'openapi');
  expect(changed()).toEqual(
    [TABLE, giver, 'client/src/contract.ts', 'docs/lifecycle.md', 'docs/openapi.json'].sort(),
  );
}, 600_000);

test('a route has four places', async () => {
  const folder = 'src/api/resources/agent-orders';
  addBelow(
    `${folder}/schemas.ts`,
    'export type TransitionView',
    "\nexport const deadlineResponse = z.strictObject({ due_at: time.nullable().describe('Null: none runs.') });",
  );
  replace(`${folder}/routes.ts`, 'import { ordersQuery', 'import { deadlineResponse, ordersQuery');
  addBelow(
    `${folder}/routes.ts`,
    'agentOrderRoutes = ',
    `  route({
    method: 'get',
    path: '/api/v1/orders/:orderId/deadline',
    auth: 'agent',
    loads: 'order',
    summary: 'Read the deadline of an order',
    answers: { 200: deadlineResponse },
    refuses: ['not_found'],
    handle: async ({ order }) => ({ status: 200, body: { due_at: order.timeout_at?.toISOString() ?? null } }),
  }),`,
  );
  const walk = 'docs/generate/examples/walk-orders.ts';
  addBelow(
    walk,
    `orders/\${id}/timeline\`);`,
    `  await agent.call('GET', \`/api/v1/orders/\${id}/deadline\`);`,
  );
  writeFileSync(
    join(copy.folder, 'test/api/deadline.test.ts'),
    `import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { newAgent, newLp, newOrder } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';

test('an agent reads the deadline of its order, and of no other', async () => {
  const corridor = await startCorridor();
  try {
    await newLp(corridor);
    const [agent, other] = [await newAgent(corridor), await newAgent(corridor)];
    const path = \`/api/v1/orders/\${await newOrder(agent)}/deadline\`;
    expect(await expectStatus(200, agent.call('GET', path))).toEqual({ due_at: expect.any(String) });
    await expectStatus(404, other.call('GET', path));
  } finally {
    await corridor.stop();
  }
});
`,
  );
  for (const script of ['docs:examples', 'docs:openapi', 'typecheck']) await npm(script);
  await checkUnits('openapi', 'rooms');
  await npm('test', '--', '-w', '1', 'test/api/deadline', 'test/attacks/scopes');
  expect(changed()).toEqual(
    [
      ...[`${folder}/schemas.ts`, `${folder}/routes.ts`, 'test/api/deadline.test.ts', walk],
      ...['docs/openapi.json', 'src/api/openapi-examples.json'],
    ].sort(),
  );
}, 900_000);
