import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { generateContract } from '../../../client/generate/contract.ts';
import { newAgent, newLp, newOrder } from '../../support/actors.ts';
import { freshCheckout } from '../../support/checkout.ts';
import { clientFolderForFile, nodes, ROOT, TSC } from '../../support/client-package.ts';
import { startCorridor } from '../../support/corridor.ts';

const run = promisify(execFile);

const folder = clientFolderForFile();

test('the committed contract matches the service’s schemas', async () => {
  const committed = readFileSync(join(ROOT, 'client/src/contract.ts'), 'utf8');
  expect(await generateContract()).toBe(committed);
});

test('npm pack builds the package first, without an earlier build', async () => {
  const checkout = freshCheckout();
  try {
    const options = ['pack', './client', '--pack-destination', folder, '--json'];
    const { stdout } = await run('npm', options, { cwd: checkout.folder });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    const files = packed.files.map(({ path }: { path: string }) => path);
    expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'package.json']));
  } finally {
    checkout.remove();
  }
});

test('the package depends only on the version of ws that the tests use', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/ws/package.json'), 'utf8'));
  expect(dependencies).toEqual({ ws: expect.stringMatching(`^\\^${version.split('.')[0]}\\.`) });
});

test('the built package resolves by name and follows the feed, on this Node and the host’s', async () => {
  const corridor = await startCorridor({ worker: false });
  try {
    const [agent, lp] = [await newAgent(corridor), await newLp(corridor)];
    const orderId = await newOrder(agent);
    const program = `import { createAgentClient, createLpClient, verifyWebhook } from 'corridor-client';
      const [baseUrl, agentKey, lpKey] = ${JSON.stringify([corridor.config.publicUrl, agent.key, lp.key])};
      const { status } = await createAgentClient({ baseUrl, key: agentKey }).status(${orderId});
      const events = createLpClient({ baseUrl, key: lpKey }).orderFeed({
        onState: (state) => console.log(state),
      });
      for await (const event of events) {
        console.log(status, typeof verifyWebhook, event.type, event.order.id);
        break;
      }`;
    for (const node of await nodes()) {
      const { stdout } = await run(node, ['--input-type=module', '--eval', program], { cwd: folder });
      expect(stdout).toBe(`live\nmatched function order.open ${orderId}\n`);
    }
  } finally {
    await corridor.stop();
  }
});

test('the types of the built package accept correct calls and reject wrong ones', async () => {
  const checkTypes = (statement: string) => {
    const file = join(folder, 'user.mts');
    const imports = `import { CorridorError, createAgentClient, createLpClient, verifyWebhook } from 'corridor-client';`;
    writeFileSync(file, `${imports}\nvoid CorridorError; void createAgentClient;\n${statement}`);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', ''];
    return run(TSC, [...options, file], { cwd: folder });
  };
  const agent = `createAgentClient({ baseUrl: 'https://pay.example', key: 'rk_live_x' })`;
  const lp = `createLpClient({ baseUrl: 'https://pay.example', key: 'lp_x' })`;
  await checkTypes(`const view: { order_id: number } = await ${agent}.status(1);\nvoid view;`);
  await checkTypes(`createAgentClient({ baseUrl: 'https://pay.example', key: undefined as string | undefined });
    verifyWebhook({ secret: undefined as string | undefined, body: '', headers: {} });`);
  await checkTypes(`for await (const event of ${lp}.orderFeed()) {
    if (event.type === 'order.open') event.order.est_profit_usd?.toFixed();
    if (event.type === 'order.closed') event.reason === 'frozen';
  }`);
  const expectTypeError = (statement: string, message: string) =>
    expect(checkTypes(statement)).rejects.toMatchObject({ stdout: expect.stringContaining(message) });
  const wrongArgument = `Argument of type 'string' is not assignable to parameter of type 'number'`;
  await expectTypeError(`await ${agent}.status('one');`, wrongArgument);
  await expectTypeError(`await ${lp}.claim('one');`, wrongArgument);
  await expectTypeError(
    `for await (const event of ${lp}.orderFeed()) event.order;`,
    `Property 'order' does not exist on type`,
  );
});
