import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Desk } from './desk.ts';
import type { OwnOrder } from './shapes.ts';
import { DISPUTE, FIAT_SENT, type LastingStep, RELEASE, StepDialog } from './step-dialog.tsx';
import { uploadReceipt } from './steps.ts';

const STEPS: Partial<Record<OwnOrder['status'], LastingStep[]>> = {
  claimed: [FIAT_SENT, RELEASE],
  fiat_sent: [DISPUTE],
};

/** The buttons for the steps that the LP can take in the order's status. */
export function OrderActions({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const chosen = useSignal<LastingStep | null>(null);
  const { id, status, owned } = order;
  // No further step until the service has accepted the last one.
  const isPending = desk.optimistic.value.has(id);
  if (!owned) return null;
  const close = () => {
    chosen.value = null;
  };
  return (
    <div class="row actions">
      {(STEPS[status] ?? []).map((step) => (
        <button
          key={step.title}
          type="button"
          class={step.tone}
          disabled={isPending}
          aria-label={`${step.title}, order ${id}`}
          onClick={() => {
            chosen.value = step;
          }}
        >
          {step.title}
        </button>
      ))}
      <ReceiptButton order={order} />
      {chosen.value && <StepDialog desk={desk} order={order} step={chosen.value} close={close} />}
    </div>
  );
}

const ACCEPTED_TYPES = '.png,.jpg,.jpeg,.webp,.gif,.pdf,.heic';

/**
 * Uploads the chosen file immediately. Keyboards and screen readers use the input; the label only looks like a button.
 */
export function ReceiptButton({ order }: { order: OwnOrder }) {
  const id = useId();
  const sending = useSignal(false);
  const onChange = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (!file || sending.value) return;
    sending.value = true;
    await uploadReceipt(order, file);
    sending.value = false;
    // Without this, choosing the same file again would fire no event.
    input.value = '';
  };
  return (
    <span class="file">
      <input
        id={id}
        type="file"
        accept={ACCEPTED_TYPES}
        disabled={sending.value}
        aria-label={`Receipt for order ${order.id}`}
        onChange={(event) => void onChange(event.currentTarget)}
      />
      <label for={id} class="button" aria-hidden="true">
        {sending.value ? 'Sending…' : 'Receipt…'}
      </label>
    </span>
  );
}
