import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { resolveResponse } from '../../../src/contract/order-verbs.ts';
import { OUTCOMES } from '../../../src/domain/order-commands.ts';
import { ApiError } from '../api.ts';
import { usd, words } from '../format.ts';
import { useResource } from '../resource.ts';
import { go, linkTo } from '../route.ts';
import { ask } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, wordsFor } from '../ui/form.tsx';
import { Failure, Read } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { OrderFacts, OrderHead } from './order.tsx';
import { type OrderShown, useOrder } from './order-resource.ts';
import { Reason } from './order-verbs.tsx';
import { Postings } from './postings.tsx';
import { Timeline } from './timeline.tsx';

type Resolved = z.output<typeof resolveResponse>;
type Outcome = (typeof OUTCOMES)[number];

/** What would come of an outcome: the postings, or why the service would not make them. */
type Rehearsed =
  | { outcome: Outcome; postings: Resolved['postings'] }
  | { outcome: Outcome; refusal: ApiError };

/** Required, and kept nowhere: nothing is changed. */
const REHEARSED_WITH = 'Looked at beforehand';

/** A dispute: what has happened, what each end of it would post, and the way to make it so. */
export function Dispute({ id }: { id: string }) {
  const resource = useOrder(id);
  return (
    <>
      <p>
        <a href={linkTo('disputes')}>All disputes</a>
      </p>
      <Read resource={resource} what={`order ${id}`}>
        {({ order, timeline }) => (
          <>
            <OrderHead order={order} />
            {order.status === 'disputed' ? (
              <Resolutions order={order} />
            ) : (
              <p class="state">
                This order is not disputed: it is {words(order.status)}.{' '}
                <a href={linkTo(`orders/${order.id}`)}>Look at the order</a>
              </p>
            )}
            <OrderFacts order={order} />
            <Timeline timeline={timeline} />
          </>
        )}
      </Read>
    </>
  );
}

function Resolutions({ order }: { order: OrderShown }) {
  const slash = useSignal(0);
  const chosen = useSignal<Outcome | null>(null);
  const rehearsals = useResource(
    (signal) => Promise.all(OUTCOMES.map((outcome) => rehearse(order.id, outcome, slash.value, signal))),
    [order.id, order.version, slash.value],
  );
  return (
    <section aria-label="Resolutions">
      <div class="slash sheet">
        <Form
          submit="Work it out"
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
            hint={`What the LP loses of the ${usd(order.collateral_locked ?? 0)} that stand for the order. Nothing, unless you say so.`}
          />
        </Form>
      </div>
      <Read resource={rehearsals} what="what each resolution would post">
        {(all) => (
          <div class="columns">
            {all.map((rehearsed) => (
              <article key={rehearsed.outcome} class="sheet">
                <h3>As {rehearsed.outcome}</h3>
                {'refusal' in rehearsed ? (
                  <Failure error={rehearsed.refusal} />
                ) : (
                  <>
                    <Postings caption="Would be posted" postings={rehearsed.postings} />
                    <button
                      type="button"
                      class="danger"
                      onClick={() => {
                        chosen.value = rehearsed.outcome;
                      }}
                    >
                      Resolve as {rehearsed.outcome}
                    </button>
                  </>
                )}
              </article>
            ))}
          </div>
        )}
      </Read>
      {chosen.value && (
        <Confirm
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

function Confirm({
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
  const resolve = async (reason: string | undefined) => {
    const body = { outcome, slash_usd: slash, reason };
    try {
      await ask<Resolved>('POST', `/api/admin/orders/${order.id}/resolve`, { body });
    } catch (error) {
      // Somebody else may have resolved it: then the page is about to show that, and this dialog to go with its words.
      if (error instanceof ApiError) toast({ tone: 'bad', text: `Order ${order.id}: ${wordsFor(error)}` });
      throw error;
    }
    toast({ tone: 'good', text: `Order ${order.id} is ${outcome}.` });
    close();
    go(`orders/${order.id}`);
    return 'empty' as const;
  };
  return (
    <Dialog title={`Resolve order ${order.id} as ${outcome}`} close={close}>
      <p>
        {outcome === 'completed'
          ? 'The LP has done its part: the order counts as paid, and the fee is taken.'
          : 'The LP has not done its part: the order ends unpaid.'}{' '}
        {slash > 0 ? `The LP loses ${usd(slash)} of its collateral.` : 'Nothing is slashed.'} This is final.
      </p>
      <Form submit={`Resolve as ${outcome}`} tone="danger" send={({ reason }) => resolve(reason)}>
        <Reason />
      </Form>
    </Dialog>
  );
}

/** A refusal is an answer here; that there was none is not. */
async function rehearse(
  orderId: number,
  outcome: Outcome,
  slash_usd: number,
  signal: AbortSignal,
): Promise<Rehearsed> {
  const body = { outcome, slash_usd, reason: REHEARSED_WITH };
  try {
    const path = `/api/admin/orders/${orderId}/resolve?dry_run=true`;
    const { postings } = await ask<Resolved>('POST', path, { body, signal });
    return { outcome, postings };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { outcome, refusal: error };
    throw error;
  }
}
