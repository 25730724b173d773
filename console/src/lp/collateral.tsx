import { useRef } from 'preact/hooks';
import { CHAINS, STABLECOINS } from '../../../src/domain/assets.ts';
import { newIdempotencyKey } from '../api.ts';
import { money, time, usd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { ask, lpPath } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Choice, Field, Form, type Written, wordsFor } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import type { Balance } from './shapes.ts';
import { withDesk } from './with-desk.tsx';

/** What the LP has paid in, what stands for its orders, and what it gets back. */
export const Collateral = withDesk(({ desk, dashboard }) => {
  const { available, locked } = dashboard.lp.collateral;
  const balance = useResource(
    (signal) => ask<Balance>('GET', lpPath(desk.key, '/balance'), { signal }),
    [desk.key, available, locked],
  );
  const changed = async () => {
    await Promise.all([balance.reload(), desk.dashboard.reload()]);
  };
  return (
    <Read resource={balance} what="your collateral">
      {(read) => (
        <>
          <Sums balance={read.balance} />
          <div class="columns">
            <Deposits desk={desk} read={read} changed={changed} />
            <Withdrawals desk={desk} read={read} changed={changed} />
          </div>
          <Table
            caption="Fees that you have paid"
            columns={[
              {
                title: 'Order',
                cell: ({ order_id }) => <a href={linkTo(`orders/${order_id}`)}>Order {order_id}</a>,
              },
              { title: 'Fee', kind: 'number', cell: ({ amount }) => usd(amount) },
              { title: 'On', kind: 'number', cell: ({ created_at }) => time(created_at) },
            ]}
            rows={read.recent_fees}
            keyOf={({ order_id }) => order_id}
            empty="None yet."
          />
        </>
      )}
    </Read>
  );
});

const Sums = ({ balance }: { balance: Balance['balance'] }) => (
  <section class="sheet" aria-label="Balance">
    <dl class="facts">
      {(
        [
          ['Available', balance.available],
          ['Locked for orders', balance.locked],
          ['Being withdrawn', balance.withdrawing],
          ['In all', balance.total],
        ] as const
      ).map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{usd(amount)}</dd>
        </div>
      ))}
    </dl>
  </section>
);

interface Part {
  desk: Desk;
  read: Balance;
  changed: () => Promise<void>;
}

const symbolOptions = STABLECOINS.map((symbol) => [symbol, symbol] as const);
const chainOptions = CHAINS.map((chain) => [chain, chain] as const);

function Deposits({ desk, read, changed }: Part) {
  const announce = async ({ amount, asset, chain, tx_hash }: Written) => {
    const body = { amount: Number(amount), asset, chain, ...(tx_hash ? { tx_hash } : {}) };
    const { pay_to } = await ask<{ pay_to: string | null }>('POST', lpPath(desk.key, '/collateral/deposit'), {
      body,
    });
    const where = pay_to === null ? '' : ` It goes to ${pay_to}.`;
    toast({ tone: 'good', text: `The deposit is announced.${where} Confirm it when it has been sent.` });
    await changed();
    return 'empty' as const;
  };
  const confirm = async (id: number) => {
    try {
      await ask('POST', lpPath(desk.key, `/collateral/${id}/confirm`), { body: {} });
      toast({ tone: 'good', text: 'The deposit is credited.' });
    } catch (error) {
      toast({ tone: 'bad', text: wordsFor(error) });
    }
    await changed();
  };
  return (
    <section class="sheet" aria-label="Deposits">
      <Table
        caption="Deposits"
        columns={[
          { title: 'Amount', cell: ({ amount, asset, chain }) => `${money(amount, asset)} on ${chain}` },
          { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
          { title: 'Announced', kind: 'number', cell: ({ created_at }) => time(created_at) },
          {
            title: 'Confirm',
            kind: 'actions',
            cell: ({ id, status }) =>
              status === 'confirmed' ? null : (
                <button type="button" aria-label={`Confirm deposit ${id}`} onClick={() => void confirm(id)}>
                  Confirm
                </button>
              ),
          },
        ]}
        rows={read.recent_deposits}
        keyOf={({ id }) => id}
        empty="None yet."
      />
      {read.deposit_addresses.map(({ chain, address }) => (
        <p key={chain}>
          On {chain} to <code>{address}</code>
        </p>
      ))}
      <Form submit="Announce deposit" send={announce}>
        <Field label="Amount" name="amount" type="number" min="0" step="any" inputMode="decimal" required />
        <Choice label="Token" name="asset" options={symbolOptions} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <Field
          label="Transaction hash"
          name="tx_hash"
          autocomplete="off"
          spellcheck={false}
          hint="Proves the deposit on a real chain. Name it before the transaction is sent."
        />
      </Form>
    </section>
  );
}

function Withdrawals({ desk, read, changed }: Part) {
  // Of one withdrawal, however often it is sent: the next has another.
  const key = useRef(newIdempotencyKey());
  const withdraw = async ({ amount, address, asset, chain }: Written) => {
    const body = { amount: Number(amount), address, asset, chain };
    const headers = { 'idempotency-key': key.current };
    await ask('POST', lpPath(desk.key, '/collateral/withdraw'), { body, headers });
    key.current = newIdempotencyKey();
    toast({ tone: 'good', text: 'The withdrawal is asked for. An admin pays it out.' });
    await changed();
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Withdrawals">
      <Table
        caption="Withdrawals"
        columns={[
          { title: 'Amount', cell: ({ amount, asset, chain }) => `${money(amount, asset)} on ${chain}` },
          {
            title: 'Status',
            cell: ({ status, reason }) => (
              <>
                <Badge status={status} /> {reason}
              </>
            ),
          },
          { title: 'Asked for', kind: 'number', cell: ({ created_at }) => time(created_at) },
        ]}
        rows={read.recent_withdrawals}
        keyOf={({ id }) => id}
        empty="None yet."
      />
      <Form submit="Ask for withdrawal" send={withdraw}>
        <Field label="Amount" name="amount" type="number" min="0" step="any" inputMode="decimal" required />
        <Choice label="Token" name="asset" options={symbolOptions} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <Field label="Address" name="address" required autocomplete="off" spellcheck={false} />
      </Form>
    </section>
  );
}
