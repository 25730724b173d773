import type { z } from 'zod';
import type { adminOrderDetail } from '../../../src/api/resources/admin-orders/schemas.ts';
import { loadCorridors } from '../delivery.ts';
import { useResource } from '../resource.ts';
import { callApi } from '../session.ts';
import type { TimelineShown } from '../ui/order-timeline.tsx';

export type OrderShown = z.output<typeof adminOrderDetail>;

const REFRESH_MS = 5_000;

/** Reads an order and its timeline. */
export const useOrder = (id: string) =>
  useResource(
    async (signal) => {
      const path = `/api/admin/orders/${encodeURIComponent(id)}`;
      const [order, timeline] = await Promise.all([
        callApi<OrderShown>('GET', path, { signal }),
        callApi<TimelineShown>('GET', `${path}/timeline`, { signal }),
        loadCorridors(),
      ]);
      return { order, timeline };
    },
    [id],
    REFRESH_MS,
  );
