import type { z } from 'zod';
import type { adminOrderDetail } from '../../../src/contract/admin-orders.ts';
import type { timelineResponse } from '../../../src/contract/agent-orders.ts';
import { useResource } from '../resource.ts';
import { ask } from '../session.ts';

export type OrderShown = z.output<typeof adminOrderDetail>;
export type TimelineShown = z.output<typeof timelineResponse>;

const LOOK_EVERY_MS = 5_000;

/** An order and what has become of it. */
export const useOrder = (id: string) =>
  useResource(
    async (signal) => {
      const path = `/api/admin/orders/${encodeURIComponent(id)}`;
      const [order, timeline] = await Promise.all([
        ask<OrderShown>('GET', path, { signal }),
        ask<TimelineShown>('GET', `${path}/timeline`, { signal }),
      ]);
      return { order, timeline };
    },
    [id],
    LOOK_EVERY_MS,
  );
