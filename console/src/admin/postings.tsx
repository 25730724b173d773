import type { z } from 'zod';
import type { resolveResponse } from '../../../src/api/resources/admin-orders/schemas.ts';
import { formatUsd } from '../format.ts';
import { Table } from '../ui/table.tsx';

type Posting = z.output<typeof resolveResponse>['postings'][number];

/** Ledger transfers, with the account that each debits and credits. */
export const Postings = ({ caption, postings }: { caption: string; postings: Posting[] }) => (
  <Table
    caption={caption}
    columns={[
      { title: 'Purpose', cell: ({ purpose }) => purpose },
      { title: 'From', cell: ({ debit }) => formatAccount(debit) },
      { title: 'To', cell: ({ credit }) => formatAccount(credit) },
      { title: 'Amount', kind: 'number', cell: ({ amount_usd }) => formatUsd(amount_usd) },
    ]}
    rows={postings}
    keyOf={({ purpose }) => purpose}
    empty="No money would move."
  />
);

/** `lp:7:available` becomes `LP 7, available`. */
function formatAccount(account: string): string {
  const [owner = '', id, part] = account.split(':');
  return part === undefined ? `${owner}, ${id}` : `LP ${id}, ${part}`;
}
