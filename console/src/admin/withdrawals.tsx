import type { ListedWithdrawal, WithdrawalPage } from '../../../src/api/resources/withdrawals/schemas.ts';
import { WITHDRAWAL_STATUSES } from '../../../src/domain/withdrawal-status.ts';
import { formatCrypto, formatMoney } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import type { Route } from '../route.ts';
import { callApi } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Address, Transaction } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Filters } from '../ui/filters.tsx';
import { Field, Form } from '../ui/form.tsx';
import { Paging } from '../ui/paging.tsx';
import { ifPermitted, NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { Named } from './named.tsx';

const PATH = 'withdrawals';
const ROUTE = '/api/admin/withdrawals';

interface Decision {
  verb: 'paid' | 'reject';
  row: ListedWithdrawal;
}

/** LPs' withdrawals of collateral. An admin pays them outside Corridor, and records it here. */
export function Withdrawals({ route }: { route: Route }) {
  const filters = readFilters(route, ['status', 'cursor']);
  const page = useList<WithdrawalPage>(ROUTE, filters);
  const { current, opener, close } = useDialog<Decision>();
  const actions: Column<ListedWithdrawal> = {
    title: 'Actions',
    kind: 'actions',
    cell: (row) =>
      row.status === 'requested' && (
        <span class="row">
          <button
            type="button"
            onClick={opener({ verb: 'paid', row })}
            aria-label={`Mark as paid: withdrawal ${row.id}`}
          >
            Mark as paid
          </button>
          <button
            type="button"
            class="danger"
            onClick={opener({ verb: 'reject', row })}
            aria-label={`Reject withdrawal ${row.id}`}
          >
            Reject
          </button>
        </span>
      ),
  };
  return (
    <>
      <Filters
        path={PATH}
        filters={[{ name: 'status', label: 'Status', values: WITHDRAWAL_STATUSES }]}
        values={filters}
      />
      <NotPermitted permission="withdrawals:decide" />
      <ResourceView resource={page} what="the withdrawals">
        {({ withdrawals, next_cursor }) => (
          <>
            <Table
              caption="Withdrawals of collateral, newest first"
              columns={[...COLUMNS, ...ifPermitted('withdrawals:decide', actions)]}
              rows={withdrawals}
              keyOf={({ id }) => id}
              empty="No withdrawals match. LPs request them on their page Collateral."
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
      {current && <DecisionDialog {...current} close={close} reload={page.reload} />}
    </>
  );
}

const COLUMNS: Column<ListedWithdrawal>[] = [
  { title: 'Id', cell: ({ id }) => id },
  { title: 'LP', cell: ({ lp_id }) => <Named kind="lp" id={lp_id} /> },
  { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
  {
    title: 'Amount',
    kind: 'number',
    cell: ({ amount, asset, chain }) => formatCrypto(amount, asset, chain),
  },
  {
    title: 'To',
    cell: ({ chain, address }) => <Address chain={chain} address={address} isShort />,
  },
  { title: 'Requested', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Transaction or reason',
    cell: ({ chain, tx_hash, reason }) =>
      tx_hash ? <Transaction chain={chain} hash={tx_hash} isShort /> : (reason ?? '–'),
  },
];

function DecisionDialog({
  verb,
  row: { id, lp_id, amount, asset, address },
  close,
  reload,
}: Decision & { close: () => void; reload: () => Promise<void> }) {
  const send = async ({ tx_hash, reason }: Record<string, string>) => {
    const body = verb === 'reject' ? { reason } : tx_hash ? { tx_hash } : {};
    await callApi('POST', `${ROUTE}/${id}/${verb}`, { body });
    toast({ tone: 'good', text: `Withdrawal ${id} is ${verb === 'paid' ? 'marked as paid' : 'rejected'}.` });
    close();
    await reload();
    return 'empty' as const;
  };
  return verb === 'paid' ? (
    <Dialog title={`Mark withdrawal ${id} as paid`} close={close}>
      <p>
        {formatMoney(amount, asset)} of LP {lp_id} to <span class="address">{address}</span>. Corridor sends
        nothing: this records that you have paid. It cannot be undone.
      </p>
      <Form submit="Mark as paid" send={send}>
        <Field label="Transaction" name="tx_hash" hint="Optional. The LP sees it." />
      </Form>
    </Dialog>
  ) : (
    <Dialog title={`Reject withdrawal ${id}`} close={close}>
      <p>
        {formatMoney(amount, asset)} become available to LP {lp_id} again. This cannot be undone.
      </p>
      <Form submit="Reject" tone="danger" send={send}>
        <Field label="Reason" name="reason" required maxLength={500} hint="The LP sees it." />
      </Form>
    </Dialog>
  );
}
