import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Desk } from './desk.ts';
import type { OwnOrder } from './shapes.ts';
import { dispute, release, reportFiatSent, uploadReceipt } from './steps.ts';

/**
 * The buttons for the steps that the LP can take in the order's status. Each takes one click; `reason` is entered
 * before.
 */
export function OrderActions({ desk, order, reason = '' }: { desk: Desk; order: OwnOrder; reason?: string }) {
  const { id, status, owned } = order;
  const labelFor = (verb: string) => `${verb}, order ${id}`;
  // No further step until the service has accepted the last one.
  const isPending = desk.optimistic.value.has(id);
  if (!owned) return null;
  return (
    <div class="row actions">
      {status === 'claimed' && (
        <button
          type="button"
          class="primary"
          disabled={isPending}
          aria-label={labelFor('Fiat sent')}
          onClick={() => void reportFiatSent(desk, order)}
        >
          Fiat sent
        </button>
      )}
      <ReceiptButton order={order} />
      {status === 'claimed' && (
        <button
          type="button"
          disabled={isPending}
          aria-label={labelFor('Release')}
          onClick={() => void release(desk, order, reason)}
        >
          Release
        </button>
      )}
      {status === 'fiat_sent' && (
        <button
          type="button"
          class="danger"
          disabled={isPending}
          aria-label={labelFor('Dispute')}
          onClick={() => void dispute(desk, order, reason)}
        >
          Dispute
        </button>
      )}
      {status === 'claimed' && (
        <small>Releasing an order soon after the claim is free. Later it adds a strike.</small>
      )}
    </div>
  );
}

const ACCEPTED_TYPES = '.png,.jpg,.jpeg,.webp,.gif,.pdf,.heic';

/**
 * Uploads the chosen file immediately. Keyboards and screen readers use the input; the label only looks like a button.
 */
function ReceiptButton({ order }: { order: OwnOrder }) {
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
