import type { z } from 'zod';
import type { dashboardResponse } from '../../../src/contract/lp-reads.ts';
import { money, usd } from '../format.ts';
import { useResource } from '../resource.ts';
import { ask, lpPath, session } from '../session.ts';
import { Countdown } from '../ui/countdown.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';

type Dashboard = z.output<typeof dashboardResponse>;

export function Market() {
  const key = session.value?.key ?? '';
  const dashboard = useResource(
    (signal) => ask<Dashboard>('GET', lpPath(key, '/dashboard'), { signal }),
    [key],
    5_000,
  );
  return (
    <Read resource={dashboard} what="the market">
      {({ open_orders }) => (
        <Table
          caption="Open orders"
          columns={[
            { title: 'Order', cell: ({ id }) => `#${id}` },
            { title: 'Send', kind: 'number', cell: (offer) => money(offer.amount_fiat, offer.currency) },
            { title: 'Profit', kind: 'number', cell: (offer) => usd(offer.est_profit_usd) },
            { title: 'Open for', cell: (offer) => <Countdown until={offer.expires_at} /> },
          ]}
          rows={open_orders}
          keyOf={({ id }) => id}
          empty="No order is open."
        />
      )}
    </Read>
  );
}
