import { expectStatus } from '../../dev/http-client.ts';
import type { TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { EXPIRED_PATHS } from './expired-paths.ts';
import { ENDED } from './landmarks.ts';
import type { Path } from './path.ts';
import { SIDE_PATHS } from './side-paths.ts';

const untilIs = (agent: Agent, id: number, status: string) =>
  eventuallyEquals(() => agent.statusOf(id), status);
const lpWith = (corridor: TestCorridor) => corridor.newLp({ collateral: 1_000 });

/** Together these paths take every transition of the table, including deadlines and escalations. */
export const PATHS: Record<string, Path> = {
  completed: {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.confirmedOrder(lp, { callback_url: corridor.receiver.url });
      await agent.settle(id, await corridor.payment(agent, id));
      await untilIs(agent, id, 'completed');
      return id;
    },
  },
  'auto-claimed': {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
      const id = await agent.newOrder();
      await untilIs(agent, id, 'claimed');
      await agent.dispute(id);
      await corridor.adminDoes('resolve', id, { outcome: 'completed' });
      return id;
    },
  },
  'cancelled-by-agent': {
    last: ENDED,
    take: async (corridor, agent) => {
      await lpWith(corridor);
      const id = await agent.newOrder();
      await expectStatus(200, agent.cancel(id));
      return id;
    },
  },
  'never-claimed': {
    last: 'cancelUnclaimed',
    env: { CLAIM_TIMEOUT: '300ms' },
    take: async (corridor, agent) => {
      await lpWith(corridor);
      const id = await agent.newOrder({ callback_url: 'http://127.0.0.1:9/unreachable' });
      await untilIs(agent, id, 'cancelled');
      return id;
    },
  },
  'expired-early': {
    last: ENDED,
    env: { CLAIM_TIMEOUT: '1s' },
    take: async (corridor, agent) => {
      await lpWith(corridor);
      const id = await agent.newOrder();
      // As if the workflow's clock were ahead of the database's.
      await corridor.db.pool.query(
        `update orders set timeout_at = timeout_at + interval '1 second' where id = $1`,
        [id],
      );
      await untilIs(agent, id, 'cancelled');
      return id;
    },
  },
  'three-failed-claims': {
    last: ENDED,
    // Free releases would not count.
    env: { FIAT_TIMEOUT: '1s', FREE_RELEASES: '0' },
    take: async (corridor, agent) => {
      const lps = [await lpWith(corridor), await lpWith(corridor), await lpWith(corridor)] as const;
      const id = await agent.newOrder();
      await expectStatus(200, lps[0].claim(id));
      await expectStatus(200, lps[0].release(id));
      await expectStatus(200, lps[1].claim(id));
      await untilIs(agent, id, 'matched');
      await expectStatus(200, lps[2].claim(id));
      await untilIs(agent, id, 'cancelled');
      return id;
    },
  },
  'no-other-lp': {
    last: ENDED,
    env: { CLAIM_TIMEOUT: '1s' },
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await expectStatus(200, lp.claim(id));
      await eventuallyEquals(async () => {
        const { rows } = await corridor.db.pool.query(
          // The workflow's timer has fired by then, so it does not interrupt the release.
          `select expires_at < now() - interval '500 ms' as past from orders where id = $1`,
          [id],
        );
        return rows[0].past;
      }, true);
      await expectStatus(200, lp.release(id));
      await untilIs(agent, id, 'cancelled');
      return id;
    },
  },
  'receipt-without-report': {
    last: 'openDispute',
    env: { FIAT_TIMEOUT: '2s' },
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await expectStatus(200, lp.claim(id));
      await expectStatus(201, upload(lp, id, fileOf(HEADS['image/png'], 500)));
      await untilIs(agent, id, 'disputed');
      return id;
    },
  },
  'disputed-and-cancelled': {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await lp.claim(id);
      await lp.fiatSent(id);
      await expectStatus(200, agent.dispute(id));
      await corridor.adminDoes('resolve', id, { outcome: 'cancelled', slash_usd: 1 });
      return id;
    },
  },
  'never-confirmed': {
    last: 'openDispute',
    env: { CONFIRM_TIMEOUT: '300ms' },
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await lp.claim(id);
      await lp.fiatSent(id);
      await untilIs(agent, id, 'disputed');
      return id;
    },
  },
  'never-settled': {
    last: 'openDispute',
    env: { SETTLE_TIMEOUT: '300ms' },
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await lp.claim(id);
      await lp.fiatSent(id);
      await agent.confirm(id);
      await untilIs(agent, id, 'disputed');
      return id;
    },
  },
  'never-final-then-found': {
    last: ENDED,
    env: { VERIFY_TIMEOUT: '1s' },
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.confirmedOrder(lp);
      const hash = await corridor.payment(agent, id, { final_after_ms: 3_000 });
      await agent.settle(id, hash);
      await untilIs(agent, id, 'disputed');
      await eventuallyEquals(async () => {
        const status = await agent.statusOf(id);
        if (status === 'disputed') await corridor.adminDoes('retry-verification', id);
        return status;
      }, 'completed');
      return id;
    },
  },
  'rejected-then-paid': {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.confirmedOrder(lp);
      await agent.settle(id, await corridor.transaction(lp.address, 1));
      await untilIs(agent, id, 'confirmed');
      await agent.settle(id, await corridor.payment(agent, id));
      await untilIs(agent, id, 'completed');
      return id;
    },
  },
  'rejected-three-times': {
    last: 'openDispute',
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.confirmedOrder(lp);
      for (const after of ['confirmed', 'confirmed', 'disputed']) {
        await agent.settle(id, await corridor.transaction(lp.address, 1));
        await untilIs(agent, id, after);
      }
      return id;
    },
  },
  repaired: {
    last: 'retryVerification',
    take: async (corridor, agent) => {
      const lp = await lpWith(corridor);
      const id = await agent.newOrder();
      await corridor.adminDoes('extend', id, { until: '2036-01-01' });
      await corridor.adminDoes('freeze', id);
      await lp.claim(id);
      await corridor.adminDoes('unfreeze', id);
      await expectStatus(200, lp.claim(id));
      await lp.fiatSent(id);
      await agent.confirm(id);
      await agent.settle(id, 'ab'.repeat(32));
      await corridor.adminDoes('freeze', id);
      await corridor.adminDoes('unfreeze', id);
      await corridor.adminDoes('retry-verification', id);
      return id;
    },
  },
  ...SIDE_PATHS,
  ...EXPIRED_PATHS,
};
