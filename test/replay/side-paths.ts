import { randomUUID } from 'node:crypto';
import { expectStatus } from '../../demo/http.ts';
import { performStep } from '../../src/db/steps/perform-step.ts';
import { adminDoes, claim, confirm, fiatSent, newLp, newOrder, settle, statusOf } from '../support/actors.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Path } from './paths.ts';

/** What workflows are told besides their commands, those who lose a race, and an admin's hand on every clock. */
export const SIDE_PATHS: Record<string, Path> = {
  'raced-for': {
    last: 'answer',
    take: async (corridor, agent) => {
      const lps = [await newLp(corridor), await newLp(corridor)];
      const id = await newOrder(agent);
      // While nobody works, the row refuses none of them.
      await corridor.stopWorker();
      for (const { id: lpId } of lps) {
        const validUntil = new Date(Date.now() + 600_000).toISOString();
        const fields = {
          requestId: randomUUID(),
          actor: `lp:${lpId}`,
          lpId,
          collateral: '10.00',
          validUntil,
        };
        await corridor.shared.gateway.signal(id, 'claim', fields);
      }
      await corridor.startWorker();
      return id;
    },
  },
  'offered-when-open': {
    last: 'claim',
    take: async (corridor, agent) => {
      const lp = await newLp(corridor);
      const id = await newOrder(agent);
      await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
      await eventuallyEquals(() => statusOf(agent, id), 'claimed');
      return id;
    },
  },
  'told-of-again': {
    last: 'markFiatSent',
    take: async (corridor, agent) => {
      const lp = await newLp(corridor);
      const id = await newOrder(agent, { callback_url: corridor.receiver.url });
      await expectStatus(200, claim(lp, id));
      const path = '/api/v1/webhook-deliveries';
      const first = async () =>
        (await agent.call('GET', `${path}?order_id=${id}`)).body.deliveries.find(
          ({ state }: { state: string }) => state === 'delivered',
        );
      const { id: delivery } = await eventually(first);
      await expectStatus(202, agent.call('POST', `${path}/${delivery}/redeliver`, {}));
      await eventually(async () => corridor.receiver.received.length >= 2 && (await first()));
      await expectStatus(200, fiatSent(lp, id));
      return id;
    },
  },
  'fallen-behind-its-row': {
    last: 'confirm',
    take: async (corridor, agent) => {
      const lp = await newLp(corridor);
      const id = await newOrder(agent, { callback_url: corridor.receiver.url });
      await expectStatus(200, claim(lp, id));
      // A step whose traces in Temporal were lost.
      const { state, webhook } = await performStep(corridor.db, 'markFiatSent', {
        ...{
          orderId: id,
          version: 2,
          requestId: randomUUID(),
          to: 'fiat_sent',
          deadline: { inMs: 3_600_000 },
        },
        ...{ actor: `lp:${lp.id}`, command: { trigger: 'fiatSent', lpId: lp.id }, reason: null },
      });
      await corridor.shared.gateway.refresh(id, { state, webhooks: webhook === null ? [] : [webhook] });
      await corridor.receiver.next(({ body }) => body.status === 'fiat_sent');
      await expectStatus(200, confirm(agent, id));
      return id;
    },
  },
  'held-up-everywhere': {
    last: 'retryVerification',
    take: async (corridor, agent) => {
      const lp = await newLp(corridor);
      const id = await newOrder(agent);
      const holdUp = async () => {
        await expectStatus(200, adminDoes(corridor.admin, 'extend', id, { until: '2036-01-01' }));
        await expectStatus(200, adminDoes(corridor.admin, 'freeze', id));
        await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', id));
      };
      const steps = [
        () => claim(lp, id),
        () => fiatSent(lp, id),
        () => confirm(agent, id),
        () => settle(agent, id, 'ab'.repeat(32)),
      ];
      for (const step of steps) {
        await expectStatus(200, step());
        await holdUp();
      }
      await expectStatus(200, adminDoes(corridor.admin, 'retry-verification', id));
      return id;
    },
  },
};
