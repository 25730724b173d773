import { randomUUID } from 'node:crypto';
import { expectStatus } from '../../dev/http-client.ts';
import { wakesOrder } from '../support/asleep.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { takeStep } from '../support/take-step.ts';
import { ENDED } from './landmarks.ts';
import type { Path } from './path.ts';

/** Signals besides commands, a lost race, and an admin's commands in every status with a clock. */
export const SIDE_PATHS: Record<string, Path> = {
  'lost-race': {
    last: 'answer',
    take: async (corridor, agent) => {
      const lps = [await corridor.newLp(), await corridor.newLp()];
      const id = await agent.newOrder();
      // Without a worker the row stays `matched`, so it refuses neither claim.
      await corridor.stopWorker();
      for (const { id: lpId } of lps) {
        const validUntil = new Date(Date.now() + 600_000).toISOString();
        const command = { trigger: 'claim', lpId, validUntil } as const;
        const request = { requestId: randomUUID(), actor: `lp:${lpId}`, command, forVersion: 1 };
        await corridor.shared.gateway.signal(id, request, await wakesOrder(corridor.db, id));
      }
      await corridor.startWorker();
      return id;
    },
  },
  'transaction-replaced': {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.confirmedOrder(lp);
      await expectStatus(200, agent.settle(id, 'sandbox-missing-1'));
      await eventuallyEquals(async () => (await agent.settle(id, 'sandbox-paid-1')).status, 200);
      await eventuallyEquals(() => agent.statusOf(id), 'completed');
      return id;
    },
  },
  'offered-when-open': {
    last: 'claim',
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder();
      await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
      await eventuallyEquals(() => agent.statusOf(id), 'claimed');
      return id;
    },
  },
  'agent-revoked': {
    last: ENDED,
    take: async (corridor, agent) => {
      await corridor.newLp();
      const id = await agent.newOrder();
      await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
      await eventuallyEquals(async () => (await corridor.rowOf(id)).status, 'cancelled');
      return id;
    },
  },
  'agent-revoked-after-the-claim': {
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder();
      await expectStatus(200, lp.claim(id));
      await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
      await eventuallyEquals(async () => (await corridor.rowOf(id)).status, 'cancelled');
      return id;
    },
  },
  'agent-revoked-then-released': {
    env: { REVOCATION_GRACE: '20m' },
    last: ENDED,
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder();
      await expectStatus(200, lp.claim(id));
      await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
      await eventually(async () => (await corridor.rowOf(id)).status_reason !== null);
      await expectStatus(200, lp.release(id));
      return id;
    },
  },
  redelivered: {
    last: 'markFiatSent',
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder({ callback_url: corridor.receiver.url });
      await expectStatus(200, lp.claim(id));
      const path = '/api/v1/webhook-deliveries';
      const first = async () =>
        (await agent.call('GET', `${path}?order_id=${id}`)).body.deliveries.find(
          ({ state }: { state: string }) => state === 'delivered',
        );
      const { id: delivery } = await eventually(first);
      await expectStatus(202, agent.call('POST', `${path}/${delivery}/redeliver`, {}));
      await eventually(async () => corridor.receiver.received.length >= 2 && (await first()));
      await expectStatus(200, lp.fiatSent(id));
      return id;
    },
  },
  'behind-its-row': {
    last: 'confirm',
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder({ callback_url: corridor.receiver.url });
      await expectStatus(200, lp.claim(id));
      // A step that Temporal's store has lost.
      await takeStep(corridor.db, 'markFiatSent', id, { trigger: 'fiatSent', lpId: lp.id });
      await corridor.shared.gateway.refresh(id);
      await corridor.receiver.next(({ body }) => body.status === 'fiat_sent');
      await expectStatus(200, agent.confirm(id));
      return id;
    },
  },
  'frozen-in-every-status': {
    last: 'retryVerification',
    take: async (corridor, agent) => {
      const lp = await corridor.newLp();
      const id = await agent.newOrder();
      const extendAndFreeze = async () => {
        await expectStatus(200, corridor.adminDoes('extend', id, { until: '2036-01-01' }));
        await expectStatus(200, corridor.adminDoes('freeze', id));
        await expectStatus(200, corridor.adminDoes('unfreeze', id));
      };
      const steps = [
        () => lp.claim(id),
        () => lp.fiatSent(id),
        () => agent.confirm(id),
        () => agent.settle(id, 'ab'.repeat(32)),
      ];
      for (const step of steps) {
        await expectStatus(200, step());
        await extendAndFreeze();
      }
      await expectStatus(200, corridor.adminDoes('retry-verification', id));
      return id;
    },
  },
};
