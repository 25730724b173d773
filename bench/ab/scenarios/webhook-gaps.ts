import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { claim, newLp, newOrder, newUnlimitedAgent } from '../../../test/support/actors.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ownCorridor, percentiles, type Scenario } from '../scenario.ts';

export const WEBHOOK_GAPS: Scenario = {
  question: 'How long after a failure does the next attempt of a webhook come, if the receiver answers 500?',
  sizes: { orders: 50 },
  rounds: 1,
  warms: false,
  async start(given) {
    /** When each POST of an order arrived. The answer leaves immediately. */
    const posts = new Map<number, number[]>();
    const receiver = createServer(async (request, response) => {
      const { order_id } = JSON.parse(await text(request));
      posts.set(order_id, [...(posts.get(order_id) ?? []), performance.now()]);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    given.cleanup.add(async () => void receiver.close());
    const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { corridor } = await ownCorridor(given);
    const orders = given.size('orders');
    const [agent, lp] = [await newUnlimitedAgent(corridor), await newLp(corridor, { collateral: 1_000_000 })];
    const measure = async () => {
      posts.clear();
      for (let i = 0; i < orders; i++) await claim(lp, await newOrder(agent, { callback_url }));
      const path = '/api/admin/webhook-deliveries?state=pending&limit=1';
      const pending = async () => (await corridor.admin('GET', path)).body.deliveries.length;
      await eventually(async () => (await pending()) === 0, 120_000);
      const counts = [...posts.values()].map(({ length }) => length);
      const gaps = (after: number) =>
        [...posts.values()].map((times) => Number(times[after]) - Number(times[after - 1]));
      return {
        'fewest POSTs of a webhook': Math.min(...counts),
        'most POSTs of a webhook': Math.max(...counts),
        ...percentiles('failure 1 to the next POST', gaps(1), 50, 95, 100),
        ...percentiles('failure 2 to the next POST', gaps(2), 50, 95, 100),
      };
    };
    return { Corridor: measure };
  },
};
