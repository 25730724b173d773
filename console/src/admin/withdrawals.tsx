import { useSignal } from '@preact/signals';
import type { ListedWithdrawal, WithdrawalPage } from '../../../src/contract/withdrawals.ts';
import { WITHDRAWAL_STATUSES } from '../../../src/domain/withdrawal-status.ts';
import { money, time } from '../format.ts';
import type { Place } from '../route.ts';
import { ask } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import { Filters } from './filters.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const PATH = 'withdrawals';
const ROUTE = '/api/admin/withdrawals';

interface Decision {
  verb: 'paid' | 'reject';
  row: ListedWithdrawal;
}

/** Collateral that LPs want back: paid out by people, and noted here. */
export function Withdrawals({ place }: { place: Place }) {
  const filters = filtersOf(place, ['status', 'cursor']);
  const page = useList<WithdrawalPage>(ROUTE, filters);
  const decision = useSignal<Decision | null>(null);
  const decide = (verb: Decision['verb'], row: ListedWithdrawal) => () => {
    decision.value = { verb, row };
  };
  const close = () => {
    decision.value = null;
  };
  return (
    <>
      <Filters
        path={PATH}
        filters={[{ name: 'status', label: 'Status', values: WITHDRAWAL_STATUSES }]}
        given={filters}
      />
      <Read resource={page} what="the withdrawals">
        {({ withdrawals, next_cursor }) => (
          <>
            <Table
              caption="Withdrawals of collateral, newest first"
              columns={[
                { title: 'No.', kind: 'number', cell: ({ id }) => id },
                { title: 'LP', kind: 'number', cell: ({ lp_id }) => lp_id },
                { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
                { title: 'Amount', kind: 'number', cell: ({ amount, asset }) => money(amount, asset) },
                { title: 'Chain', cell: ({ chain }) => chain },
                { title: 'To', cell: ({ address }) => <span class="address">{address}</span> },
                { title: 'Asked for', cell: ({ created_at }) => time(created_at) },
                {
                  title: 'Transaction, or why not',
                  cell: ({ tx_hash, reason }) => <span class="address">{tx_hash ?? reason ?? '–'}</span>,
                },
                {
                  title: 'Actions',
                  kind: 'actions',
                  cell: (row) =>
                    row.status === 'requested' && (
                      <span class="row">
                        <button
                          type="button"
                          onClick={decide('paid', row)}
                          aria-label={`Note withdrawal ${row.id} as paid`}
                        >
                          Paid
                        </button>
                        <button
                          type="button"
                          class="danger"
                          onClick={decide('reject', row)}
                          aria-label={`Reject withdrawal ${row.id}`}
                        >
                          Reject
                        </button>
                      </span>
                    ),
                },
              ]}
              rows={withdrawals}
              keyOf={({ id }) => id}
              empty="No withdrawal is like this."
            />
            <Paging path={PATH} place={place} filters={filters} next={next_cursor} />
          </>
        )}
      </Read>
      {decision.value && <Decide {...decision.value} close={close} decided={page.reload} />}
    </>
  );
}

function Decide({
  verb,
  row: { id, lp_id, amount, asset, address },
  close,
  decided,
}: Decision & { close: () => void; decided: () => Promise<void> }) {
  const send = async ({ tx_hash, reason }: Record<string, string>) => {
    const body = verb === 'reject' ? { reason } : tx_hash ? { tx_hash } : {};
    await ask('POST', `${ROUTE}/${id}/${verb}`, { body });
    toast({ tone: 'good', text: `Withdrawal ${id} is ${verb === 'paid' ? 'noted as paid' : 'rejected'}.` });
    close();
    await decided();
    return 'empty' as const;
  };
  return verb === 'paid' ? (
    <Dialog title={`Withdrawal ${id} has been paid`} close={close}>
      <p>
        {money(amount, asset)} of LP {lp_id} to <span class="address">{address}</span>. Nothing is sent from
        here: this notes, for good, that you have.
      </p>
      <Form submit="It has been paid" send={send}>
        <Field label="Transaction" name="tx_hash" hint="The LP is shown it. May be left out." />
      </Form>
    </Dialog>
  ) : (
    <Dialog title={`Reject withdrawal ${id}`} close={close}>
      <p>
        {money(amount, asset)} are available to LP {lp_id} again. This is for good.
      </p>
      <Form submit="Reject it" tone="danger" send={send}>
        <Field label="Reason" name="reason" required maxLength={500} hint="The LP reads it." />
      </Form>
    </Dialog>
  );
}
