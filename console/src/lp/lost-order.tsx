import { CONTESTABLE } from '../../../src/domain/order-state.ts';
import { useDialog } from '../ui/use-dialog.ts';
import type { Desk } from './desk.ts';
import { ReceiptButton } from './order-actions.tsx';
import type { OwnOrder, Timeline } from './shapes.ts';
import { DISPUTE_LOSS, StepDialog } from './step-dialog.tsx';

interface LostOrderProps {
  desk: Desk;
  order: OwnOrder;
  timeline: Timeline;
  /** Reads the timeline again. */
  reload: () => Promise<void>;
}

/** What an LP can do that missed the deadline of an order although it had paid. Nothing, if it has released the order. */
export function LostOrder({ desk, order, timeline, reload }: LostOrderProps) {
  const { current, opener, close } = useDialog<'dispute'>();
  const { id, status } = order;
  const lpId = desk.dashboard.data.value?.lp.id;
  if (!CONTESTABLE.includes(status) || lpId === undefined || !hasMissedDeadline(timeline, lpId)) return null;
  const isStopped = timeline.transitions.some(({ cause, lp_id }) => cause === 'freeze' && lp_id === lpId);
  if (isStopped) return null;
  const step = {
    ...DISPUTE_LOSS,
    run: async (...args: Parameters<typeof DISPUTE_LOSS.run>) => {
      await DISPUTE_LOSS.run(...args);
      await reload();
    },
  };
  return (
    <section class="sheet" aria-label={`Loss of order ${id}`}>
      <h2>Had you paid?</h2>
      <p>
        You missed the deadline for the fiat, so Corridor offers the order to other LPs. If you had paid,
        upload your receipt within an hour of the deadline, and then dispute the loss. Nobody else can pay the
        recipient until an admin has decided.
      </p>
      <div class="row actions">
        <ReceiptButton order={order} />
        <button
          type="button"
          class={step.tone}
          aria-label={`${step.title}, order ${id}`}
          onClick={opener('dispute')}
        >
          {step.title}
        </button>
      </div>
      {current && <StepDialog desk={desk} order={order} step={step} close={close} />}
    </section>
  );
}

/** An LP claims an order at most once. */
function hasMissedDeadline({ transitions }: Timeline, lpId: number): boolean {
  const claim = transitions.findIndex(
    ({ status, from_status, lp_id }) => lp_id === lpId && from_status === 'matched' && status === 'claimed',
  );
  const end = transitions
    .slice(claim + 1)
    .find(({ from_status, status }) => from_status === 'claimed' && status === 'matched');
  return claim >= 0 && end?.cause === 'deadline';
}
