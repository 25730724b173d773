import type { z } from 'zod';
import type { resolveResponse } from '../../../src/contract/order-verbs.ts';
import { usd } from '../format.ts';
import { Table } from '../ui/table.tsx';

type Posting = z.output<typeof resolveResponse>['postings'][number];

/** Transfers of the ledger, each with both its accounts. */
export const Postings = ({ caption, postings }: { caption: string; postings: Posting[] }) => (
  <Table
    caption={caption}
    columns={[
      { title: 'For', cell: ({ purpose }) => purpose },
      { title: 'From', cell: ({ debit }) => accountInWords(debit) },
      { title: 'To', cell: ({ credit }) => accountInWords(credit) },
      { title: 'Amount', kind: 'number', cell: ({ amount_usd }) => usd(amount_usd) },
    ]}
    rows={postings}
    keyOf={({ purpose }) => purpose}
    empty="No money would move."
  />
);

/** `lp:7:available` is `LP 7, available`. */
function accountInWords(account: string): string {
  const [owner = '', id, part] = account.split(':');
  return part === undefined ? `${owner}, ${id}` : `LP ${id}, ${part}`;
}
