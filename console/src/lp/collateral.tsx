import { useRef } from 'preact/hooks';
import { STABLECOINS } from '../../../src/domain/assets.ts';
import { newIdempotencyKey } from '../api.ts';
import { formatCrypto, formatUsd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { callApi, lpPath } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Address } from '../ui/copyable.tsx';
import { Facts } from '../ui/facts.tsx';
import { Choice, describeError, Field, Form, type FormValues } from '../ui/form.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { chainOptions, chainWords, tokenWords } from '../words.ts';
import type { Balance } from './shapes.ts';
import { withDesk } from './with-desk.tsx';

/** The LP's collateral: its balance, deposits, withdrawals and fees. */
export const Collateral = withDesk(({ desk, dashboard }) => {
  const { available, locked } = dashboard.lp.collateral;
  const balance = useResource(
    (signal) => callApi<Balance>('GET', lpPath('/balance'), { signal }),
    [available, locked],
  );
  const reload = async () => {
    await Promise.all([balance.reload(), desk.dashboard.reload()]);
  };
  return (
    <ResourceView resource={balance} what="your collateral">
      {(read) => (
        <>
          <Totals balance={read.balance} />
          <div class="columns">
            <Deposits read={read} reload={reload} />
            <Withdrawals read={read} reload={reload} />
          </div>
          <Table
            caption="Newest fees"
            columns={[
              {
                title: 'Order',
                cell: ({ order_id }) => <a href={linkTo(`orders/${order_id}`)}>Order {order_id}</a>,
              },
              { title: 'Fee', kind: 'number', cell: ({ amount }) => formatUsd(amount) },
              { title: 'Paid at', kind: 'number', cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
            rows={read.recent_fees}
            keyOf={({ order_id }) => order_id}
            empty="None yet. You pay a fee when an order is completed."
          />
          <p>
            The <a href={linkTo('history')}>history page</a> saves all movements of a period as a statement.
          </p>
        </>
      )}
    </ResourceView>
  );
});

const Totals = ({ balance }: { balance: Balance['balance'] }) => (
  <section class="sheet" aria-label="Balance">
    <Facts
      figures
      facts={[
        ['Available', formatUsd(balance.available)],
        ['Locked for orders', formatUsd(balance.locked)],
        ['Being withdrawn', formatUsd(balance.withdrawing)],
        ['Total', formatUsd(balance.total)],
      ]}
    />
  </section>
);

interface PartProps {
  read: Balance;
  /** Reads the balance and the dashboard again, after a change. */
  reload: () => Promise<void>;
}

const symbolOptions = STABLECOINS.map((symbol) => [symbol, tokenWords(symbol)] as const);

/** The transfer that pays an announced deposit. */
interface PayTo {
  address: string;
  amount: number;
  destination_tag?: number;
}

function Deposits({ read, reload }: PartProps) {
  // The hashes that the LP has typed beside its deposits.
  const hashes = useRef(new Map<number, string>());
  const announce = async ({ amount, asset = '', chain }: FormValues) => {
    const body = { amount: Number(amount), asset, chain };
    const { pay_to } = await callApi<{ pay_to: PayTo }>('POST', lpPath('/collateral/deposit'), {
      body,
    });
    const tag = pay_to.destination_tag === undefined ? '' : ` with destination tag ${pay_to.destination_tag}`;
    const exactly = `exactly ${pay_to.amount} ${tokenWords(asset)} to ${pay_to.address}${tag}`;
    toast({ tone: 'good', text: `The deposit is announced. Send ${exactly}, then confirm it.` });
    await reload();
    return 'empty' as const;
  };
  const confirm = async (id: number) => {
    const about = `deposit ${id}`;
    const tx_hash = hashes.current.get(id)?.trim();
    try {
      await callApi('POST', lpPath(`/collateral/${id}/confirm`), {
        body: tx_hash ? { tx_hash } : {},
      });
      toast({ tone: 'good', text: 'The deposit is credited.', about });
    } catch (error) {
      toast({ tone: 'bad', text: describeError(error), about });
    }
    await reload();
  };
  return (
    <section class="sheet" aria-label="Deposits">
      <Table
        caption="Newest deposits"
        columns={[
          {
            // Every digit: only exactly this amount pays the deposit.
            title: 'Exact amount',
            cell: ({ amount, asset, chain }) => `${amount} ${tokenWords(asset)} on ${chainWords(chain)}`,
          },
          {
            title: 'Status, expiry',
            cell: ({ status, expires_at }) => (
              <span>
                <Badge status={status} />
                <small class="second">
                  <Time at={expires_at} />
                </small>
              </span>
            ),
          },
          {
            title: 'Confirm',
            kind: 'actions',
            cell: ({ id, status }) =>
              status !== 'pending' ? null : (
                <span>
                  <input
                    aria-label={`Transaction hash of deposit ${id}`}
                    placeholder="Hash (optional)"
                    autocomplete="off"
                    spellcheck={false}
                    onInput={({ currentTarget }) => hashes.current.set(id, currentTarget.value)}
                  />
                  <button type="button" aria-label={`Confirm deposit ${id}`} onClick={() => void confirm(id)}>
                    Confirm
                  </button>
                </span>
              ),
          },
        ]}
        rows={read.recent_deposits}
        keyOf={({ id }) => id}
        empty="None yet. Announce one below, and send exactly its amount."
      />
      {read.deposit_addresses.map(({ chain, address, destination_tag: tag }) => (
        <p key={chain}>
          Deposit on {chainWords(chain)} to <Address chain={chain} address={address} />
          {tag !== undefined && ` with destination tag ${tag}`}
        </p>
      ))}
      <Form submit="Announce deposit" send={announce}>
        <Field label="Amount" name="amount" type="number" min="0" step="any" inputMode="decimal" required />
        <Choice label="Token" name="asset" options={symbolOptions} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <p>Announce first, then send exactly the amount that the deposit shows, in one transfer.</p>
      </Form>
    </section>
  );
}

function Withdrawals({ read, reload }: PartProps) {
  // Repeated attempts at one withdrawal share a key, so Corridor makes it once.
  const key = useRef(newIdempotencyKey());
  const withdraw = async ({ amount, address, asset, chain }: FormValues) => {
    const body = { amount: Number(amount), address, asset, chain };
    const headers = { 'idempotency-key': key.current };
    await callApi('POST', lpPath('/collateral/withdraw'), { body, headers });
    key.current = newIdempotencyKey();
    toast({ tone: 'good', text: 'The withdrawal is requested. An admin pays it out.' });
    await reload();
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Withdrawals">
      <Table
        caption="Newest withdrawals"
        columns={[
          {
            title: 'Amount',
            cell: ({ amount, asset, chain }) => formatCrypto(amount, asset, chain),
          },
          {
            title: 'Status',
            cell: ({ status, reason }) => (
              <>
                <Badge status={status} /> {reason}
              </>
            ),
          },
          { title: 'Requested', kind: 'number', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        rows={read.recent_withdrawals}
        keyOf={({ id }) => id}
        empty="None yet. Request one below, and an admin pays it out."
      />
      <Form submit="Request withdrawal" send={withdraw}>
        <Field label="Amount" name="amount" type="number" min="0" step="any" inputMode="decimal" required />
        <Choice label="Token" name="asset" options={symbolOptions} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <Field label="Address" name="address" required autocomplete="off" spellcheck={false} />
      </Form>
    </section>
  );
}
