import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { resolveResponse } from '../../../src/api/resources/admin-orders/schemas.ts';
import { OUTCOMES } from '../../../src/domain/order-commands.ts';
import { ApiError } from '../api.ts';
import { formatUsd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo, navigate } from '../route.ts';
import { callApi } from '../session.ts';
import { Transaction } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { describeError, Field, Form } from '../ui/form.tsx';
import { OrderTimeline } from '../ui/order-timeline.tsx';
import { Failure, ResourceView } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { wordsFor } from '../words.ts';
import { OrderFacts, OrderHead } from './order.tsx';
import { type OrderShown, useOrder } from './order-resource.ts';
import { Reason } from './order-verbs.tsx';
import { Postings } from './postings.tsx';

type Resolved = z.output<typeof resolveResponse>;
type Outcome = (typeof OUTCOMES)[number];

/** The dry run of an outcome: its postings and what counts as the payment, or the service's refusal. */
type DryRun =
  | { outcome: Outcome; postings: Resolved['postings']; txHash: string | null }
  | { outcome: Outcome; refusal: ApiError };

/** The API requires a reason, but does not store the reason of a dry run. */
const DRY_RUN_REASON = 'Dry run';

/** A disputed order, with a dry run of each outcome and the buttons that resolve it. */
export function Dispute({ id }: { id: string }) {
  const resource = useOrder(id);
  return (
    <>
      <p>
        <a href={linkTo('disputes')}>All disputes</a>
      </p>
      <ResourceView resource={resource} what={`order ${id}`}>
        {({ order, timeline }) => (
          <>
            <OrderHead order={order} />
            {order.status === 'disputed' ? (
              <Resolutions order={order} />
            ) : (
              <p class="state">
                This order is not disputed: it is {wordsFor(order.status)}.{' '}
                <a href={linkTo(`orders/${order.id}`)}>Show the order</a>
              </p>
            )}
            <OrderFacts order={order} />
            <OrderTimeline timeline={timeline} />
          </>
        )}
      </ResourceView>
    </>
  );
}

function Resolutions({ order }: { order: OrderShown }) {
  const slash = useSignal(0);
  const chosen = useSignal<Outcome | null>(null);
  const dryRuns = useResource(
    (signal) => Promise.all(OUTCOMES.map((outcome) => dryRunOutcome(order.id, outcome, slash.value, signal))),
    [order.id, order.version, slash.value],
  );
  return (
    <section aria-label="Resolutions">
      <div class="slash sheet">
        <Form
          submit="Dry run"
          send={async ({ slash_usd = '0' }) => {
            slash.value = Number(slash_usd);
            return 'keep';
          }}
        >
          <Field
            label="Slash, USD"
            name="slash_usd"
            type="number"
            min={0}
            step="0.01"
            defaultValue="0"
            hint={`The part of the order’s ${formatUsd(order.collateral_locked ?? 0)} collateral that the LP loses. Enter 0 for none.`}
          />
        </Form>
      </div>
      <ResourceView resource={dryRuns} what="the dry run">
        {(all) => (
          <div class="columns">
            {all.map((dryRun) => (
              <article key={dryRun.outcome} class="sheet">
                <h3>Outcome: {dryRun.outcome}</h3>
                {'refusal' in dryRun ? (
                  <Failure error={dryRun.refusal} />
                ) : (
                  <>
                    <Postings caption="Ledger postings" postings={dryRun.postings} />
                    <p>
                      {dryRun.txHash === null ? (
                        'No transaction counts as the payment.'
                      ) : (
                        <>
                          Counts as the payment:{' '}
                          <Transaction chain={order.crypto_chain} hash={dryRun.txHash} />
                        </>
                      )}
                    </p>
                    <button
                      type="button"
                      class="danger"
                      onClick={() => {
                        chosen.value = dryRun.outcome;
                      }}
                    >
                      Resolve as {dryRun.outcome}
                    </button>
                  </>
                )}
              </article>
            ))}
          </div>
        )}
      </ResourceView>
      {chosen.value && (
        <ConfirmDialog
          order={order}
          outcome={chosen.value}
          slash={slash.value}
          close={() => {
            chosen.value = null;
          }}
        />
      )}
    </section>
  );
}

function ConfirmDialog({
  order,
  outcome,
  slash,
  close,
}: {
  order: OrderShown;
  outcome: Outcome;
  slash: number;
  close: () => void;
}) {
  const about = `order ${order.id}`;
  const resolve = async (reason: string | undefined) => {
    const body = { outcome, slash_usd: slash, reason };
    try {
      await callApi<Resolved>('POST', `/api/admin/orders/${order.id}/resolve`, { body });
    } catch (error) {
      // If another admin has resolved it, the next refresh removes this dialog and its error. The toast remains.
      if (error instanceof ApiError)
        toast({ tone: 'bad', text: `Order ${order.id}: ${describeError(error)}`, about });
      throw error;
    }
    toast({ tone: 'good', text: `Order ${order.id} is ${outcome}.`, about });
    close();
    navigate(`orders/${order.id}`);
    return 'empty' as const;
  };
  return (
    <Dialog title={`Resolve order ${order.id} as ${outcome}`} close={close}>
      <p>
        {outcome === 'completed'
          ? 'The LP has sent the fiat. The order counts as paid, and the LP pays the fee.'
          : 'The LP has not sent the fiat. The order ends unpaid.'}{' '}
        {slash > 0 ? `The LP loses ${formatUsd(slash)} of its collateral.` : 'No collateral is slashed.'} This
        cannot be undone.
      </p>
      <Form submit={`Resolve as ${outcome}`} tone="danger" send={({ reason }) => resolve(reason)}>
        <Reason />
      </Form>
    </Dialog>
  );
}

/** Returns a refusal as a result. Throws if the service failed or did not answer. */
async function dryRunOutcome(
  orderId: number,
  outcome: Outcome,
  slash_usd: number,
  signal: AbortSignal,
): Promise<DryRun> {
  const body = { outcome, slash_usd, reason: DRY_RUN_REASON };
  try {
    const path = `/api/admin/orders/${orderId}/resolve?dry_run=true`;
    const { postings, tx_hash: txHash } = await callApi<Resolved>('POST', path, { body, signal });
    return { outcome, postings, txHash };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { outcome, refusal: error };
    throw error;
  }
}
