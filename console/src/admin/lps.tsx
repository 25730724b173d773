import { useSignal } from '@preact/signals';
import type { ListedLp, LpPage } from '../../../src/contract/admin-lps.ts';
import { LP_STATUSES } from '../../../src/domain/lp-status.ts';
import { count, share, time, usd } from '../format.ts';
import { linkTo, type Place } from '../route.ts';
import { ask } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import { Action } from './action.tsx';
import { Filters } from './filters.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const PATH = 'lps';
const ROUTE = '/api/admin/lps';

interface Task {
  verb: 'tier' | 'forgive';
  lp: ListedLp;
}

/** Who provides the fiat: their terms, their record, and whether they may. */
export function Lps({ place }: { place: Place }) {
  const filters = filtersOf(place, ['status', 'cursor']);
  const page = useList<LpPage>(ROUTE, filters);
  const task = useSignal<Task | null>(null);
  const close = () => {
    task.value = null;
  };
  const change = async (lp: ListedLp, verb: string, body?: object) => {
    await ask('POST', `${ROUTE}/${lp.id}/${verb}`, body ? { body } : {});
    await page.reload();
  };
  const actions: Column<ListedLp> = {
    title: 'Actions',
    kind: 'actions',
    cell: (lp) => (
      <span class="row">
        {lp.status === 'approved' ? (
          <Action
            label={`Suspend LP ${lp.id}`}
            done={`LP ${lp.id} is suspended. It finishes the orders that it owns.`}
            run={() => change(lp, 'suspend')}
          >
            Suspend
          </Action>
        ) : (
          <Action
            label={`Approve LP ${lp.id}`}
            done={`LP ${lp.id} is approved.`}
            run={() => change(lp, 'approve')}
          >
            Approve
          </Action>
        )}
        <button type="button" aria-label={`Set the tier of LP ${lp.id}`} onClick={begin('tier', lp)}>
          Tier
        </button>
        {lp.strikes > 0 && (
          <button type="button" aria-label={`Forgive LP ${lp.id} its strikes`} onClick={begin('forgive', lp)}>
            Forgive
          </button>
        )}
      </span>
    ),
  };
  return (
    <>
      <Filters
        path={PATH}
        filters={[{ name: 'status', label: 'Status', values: LP_STATUSES }]}
        given={filters}
      />
      <Read resource={page} what="the LPs">
        {({ lps, next_cursor }) => (
          <>
            <Table
              caption="LPs, newest first"
              columns={[...COLUMNS, actions]}
              rows={lps}
              keyOf={({ id }) => id}
              empty="No LP is like this."
            />
            <Paging path={PATH} place={place} filters={filters} next={next_cursor} />
          </>
        )}
      </Read>
      {task.value && <TaskDialog {...task.value} close={close} change={change} />}
    </>
  );

  function begin(verb: Task['verb'], lp: ListedLp) {
    return () => {
      task.value = { verb, lp };
    };
  }
}

const COLUMNS: Column<ListedLp>[] = [
  {
    title: 'LP',
    cell: ({ id, display_name }) => (
      <a href={linkTo('orders', { lp_id: id })} title="Its orders">
        {id} {display_name}
      </a>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, cooling_down_until }) => (
      <>
        <Badge status={status} />
        {cooling_down_until && <small> cools down until {time(cooling_down_until)}</small>}
      </>
    ),
  },
  { title: 'Tier', kind: 'number', cell: ({ tier }) => tier },
  {
    title: 'Rates',
    cell: ({ rates }) => rates.map(({ currency, rate_usd }) => `${currency} ${rate_usd}`).join(', ') || '–',
  },
  { title: 'Completed', kind: 'number', cell: ({ orders_completed }) => count(orders_completed) },
  {
    title: 'Kept its word',
    kind: 'number',
    cell: ({ completion_rate }) => (completion_rate === null ? '–' : share(completion_rate)),
  },
  {
    title: 'Fiat sent after',
    kind: 'number',
    cell: ({ median_fiat_seconds }) =>
      median_fiat_seconds === null ? '–' : `${count(median_fiat_seconds)} s`,
  },
  { title: 'Strikes', kind: 'number', cell: ({ strikes }) => strikes },
  { title: 'Available', kind: 'number', cell: ({ collateral_available }) => usd(collateral_available) },
  { title: 'Locked', kind: 'number', cell: ({ collateral_locked }) => usd(collateral_locked) },
];

function TaskDialog({
  verb,
  lp,
  close,
  change,
}: Task & { close: () => void; change: (lp: ListedLp, verb: string, body: object) => Promise<void> }) {
  const finish = (text: string) => {
    toast({ tone: 'good', text });
    close();
    return 'empty' as const;
  };
  return verb === 'tier' ? (
    <Dialog title={`The tier of LP ${lp.id}`} close={close}>
      <Form
        submit="Set the tier"
        send={async ({ tier }) => {
          await change(lp, 'tier', { tier: Number(tier) });
          return finish(`LP ${lp.id} has tier ${tier}.`);
        }}
      >
        <Field
          label="Tier"
          name="tier"
          type="number"
          min={0}
          required
          defaultValue={lp.tier}
          hint="The higher, the less collateral an order locks. Counts for orders claimed from now on."
        />
      </Form>
    </Dialog>
  ) : (
    <Dialog title={`Forgive LP ${lp.id} its strikes`} close={close}>
      <p>It has {lp.strikes}. They count no more, and its cool-down ends.</p>
      <Form
        submit="Forgive"
        send={async ({ reason }) => {
          await change(lp, 'forgive', { reason });
          return finish(`LP ${lp.id} is forgiven.`);
        }}
      >
        <Field label="Reason" name="reason" required maxLength={500} hint="For the record." />
      </Form>
    </Dialog>
  );
}
