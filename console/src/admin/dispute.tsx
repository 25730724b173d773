import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { resolveResponse } from '../../../src/api/resources/admin-orders/schemas.ts';
import { OUTCOMES } from '../../../src/domain/order-commands.ts';
import { ApiError } from '../api.ts';
import { formatUsd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo, navigate } from '../route.ts';
import { callApi, isPermitted } from '../session.ts';
import { Transaction } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { describeError, Field, Form } from '../ui/form.tsx';
import { OrderTimeline } from '../ui/order-timeline.tsx';
import { NotPermitted } from '../ui/permitted.tsx';
import { Failure, ResourceView } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { wordsFor } from '../words.ts';
import { ChainFinding } from './chain-finding.tsx';
import { OrderFacts, OrderHead } from './order.tsx';
import { type OrderShown, useOrder } from './order-resource.ts';
import { Reason } from './order-verbs.tsx';
import { Postings } from './postings.tsx';

type Resolved = z.output<typeof resolveResponse>;
type Outcome = (typeof OUTCOMES)[number];

/** The parts of a resolution that the admin enters before the dry run. `txHash` empty: the admin names no transaction. */
interface Draft {
  slash: number;
  txHash: string;
}

/** The dry run of an outcome with this draft: what it would do, or the service's refusal. */
type DryRun = { outcome: Outcome; draft: Draft } & ({ result: Resolved } | { refusal: ApiError });
/** What the admin is asked to confirm. */
type Chosen = Extract<DryRun, { result: Resolved }>;

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
              <>
                <NotPermitted permission="orders:resolve" />
                {isPermitted('orders:resolve') && <Resolutions order={order} />}
              </>
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
  const draft = useSignal<Draft>({ slash: 0, txHash: '' });
  const chosen = useSignal<Chosen | null>(null);
  const dryRuns = useResource(
    (signal) => Promise.all(OUTCOMES.map((outcome) => dryRunOutcome(order.id, outcome, draft.value, signal))),
    [order.id, order.version, draft.value],
  );
  return (
    <section aria-label="Resolutions">
      <div class="slash sheet">
        <Form
          submit="Dry run"
          send={async ({ slash_usd = '0', tx_hash = '' }) => {
            draft.value = { slash: Number(slash_usd), txHash: tx_hash };
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
          <Field
            label="Transaction"
            name="tx_hash"
            hint="The one that paid the order, if the chain has verified none. It counts only for the outcome “completed”."
          />
        </Form>
      </div>
      <ResourceView resource={dryRuns} what="the dry run">
        {(all) => (
          <div class="columns">
            {all.some((dryRun) => dryRun.draft !== draft.value) && (
              <p class="state">There is no dry run with these values yet.</p>
            )}
            {ofDraft(all, draft.value).map((dryRun) => (
              <article key={dryRun.outcome} class="sheet">
                <h3>Outcome: {dryRun.outcome}</h3>
                {'refusal' in dryRun ? (
                  <Failure error={dryRun.refusal} />
                ) : (
                  <>
                    <Postings caption="Ledger postings" postings={dryRun.result.postings} />
                    <Payment order={order} resolved={dryRun.result} />
                    <button
                      type="button"
                      class="danger"
                      onClick={() => {
                        chosen.value = dryRun;
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
          chosen={chosen.value}
          close={() => {
            chosen.value = null;
          }}
        />
      )}
    </section>
  );
}

/** An earlier dry run stays while the next one runs or fails. Nobody may confirm it with the new values. */
const ofDraft = (all: DryRun[], draft: Draft): DryRun[] => all.filter((dryRun) => dryRun.draft === draft);

/** The transaction that would count as the payment, and what the chain says if the admin has named it. */
const Payment = ({ order, resolved }: { order: OrderShown; resolved: Resolved }) => (
  <>
    <p>
      {resolved.tx_hash === null ? (
        'No transaction counts as the payment.'
      ) : (
        <>
          Counts as the payment: <Transaction chain={order.crypto_chain} hash={resolved.tx_hash} />
        </>
      )}
    </p>
    <ChainFinding finding={resolved.chain_finding} />
  </>
);

function ConfirmDialog({
  order,
  chosen: { outcome, draft, result },
  close,
}: {
  order: OrderShown;
  chosen: Chosen;
  close: () => void;
}) {
  const about = `order ${order.id}`;
  const { slash } = draft;
  const resolve = async (reason: string | undefined) => {
    const body = { ...resolutionOf(outcome, draft), reason };
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
      {outcome === 'completed' && <Payment order={order} resolved={result} />}
      <Form submit={`Resolve as ${outcome}`} tone="danger" send={({ reason }) => resolve(reason)}>
        <Reason />
      </Form>
    </Dialog>
  );
}

/** A cancelled order has no payment. */
const resolutionOf = (outcome: Outcome, { slash, txHash }: Draft) => ({
  ...{ outcome, slash_usd: slash },
  ...(outcome === 'completed' && txHash && { tx_hash: txHash }),
});

/** Returns a refusal as a result. Throws if the service failed or did not answer. */
async function dryRunOutcome(
  orderId: number,
  outcome: Outcome,
  draft: Draft,
  signal: AbortSignal,
): Promise<DryRun> {
  const body = { ...resolutionOf(outcome, draft), reason: DRY_RUN_REASON };
  try {
    const path = `/api/admin/orders/${orderId}/resolve?dry_run=true`;
    return { outcome, draft, result: await callApi<Resolved>('POST', path, { body, signal }) };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { outcome, draft, refusal: error };
    throw error;
  }
}
