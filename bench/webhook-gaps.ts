import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { createCallers } from '../dev/http-client.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { loadSecrets } from '../src/settings/secrets.ts';
import { newLp, newUnlimitedAgent } from '../test/support/actors.ts';
import { eventually } from '../test/support/eventually.ts';
import { NO_RATE_LIMITS } from '../test/support/no-rate-limits.ts';
import { claim, newOrder } from '../test/support/repeated-steps.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:webhook-gaps -- [--orders N]

Claims N orders (50), one after the other, whose receiver answers every webhook with 500. Prints the POSTs for each webhook,
and the milliseconds between a failure and the next POST.`;

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '50' }, help: { type: 'boolean', short: 'h' } },
});
const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main(Number(values.orders)).finally(cleanup.run);

async function main(orders: number): Promise<void> {
  /** When each POST of an order arrived, in milliseconds. The answer leaves immediately. */
  const posts = new Map<number, number[]>();
  const receiver = createServer(async (request, response) => {
    const { order_id } = JSON.parse(await text(request));
    posts.set(order_id, [...(posts.get(order_id) ?? []), performance.now()]);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  cleanup.add(async () => {
    receiver.close();
  });
  const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

  const settings = { ...NO_RATE_LIMITS, WEBHOOK_ALLOW_PRIVATE: 'true' };
  const { config } = await startOwnCorridor({ settings, progress: say, cleanup });
  const corridor = createCallers(config.publicUrl, (await loadSecrets(config)).adminApiKey);
  const [agent, lp] = [await newUnlimitedAgent(corridor), await newLp(corridor, { collateral: orders * 10 })];
  for (let i = 0; i < orders; i++) {
    const id = await newOrder(agent, { callback_url });
    await claim(lp, id);
  }
  await eventually(async () => {
    const path = '/api/admin/webhook-deliveries?state=pending&limit=1';
    return (await corridor.admin('GET', path)).body.deliveries.length === 0;
  }, 120_000);

  const counts = [...posts.values()].map(({ length }) => length);
  say(`POSTs per webhook: ${Math.min(...counts)} to ${Math.max(...counts)}, ${posts.size} webhooks`);
  for (const after of [1, 2]) {
    const gaps = [...posts.values()]
      .map((times) => (times[after] ?? Number.NaN) - (times[after - 1] ?? 0))
      .sort((a, b) => a - b);
    const [p50, p95] = [percentile(gaps, 50), percentile(gaps, 95)];
    say(
      `from failure ${after} to the next POST: median ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, most ${gaps.at(-1)?.toFixed(0)} ms`,
    );
  }
}
