import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Desk } from './desk.ts';
import type { OwnOrder } from './shapes.ts';
import { dispute, fiatSent, release, uploadReceipt } from './steps.ts';

/** What the LP can do for an order where it stands. One click each; the reason, where one is wanted, is written before. */
export function OrderActions({ desk, order, reason = '' }: { desk: Desk; order: OwnOrder; reason?: string }) {
  const { id, status, owned } = order;
  const named = (verb: string) => `${verb}, order ${id}`;
  // Until the service has said so itself, there is nothing more to be asked of the order.
  const isSure = !desk.beliefs.value.has(id);
  if (!owned) return null;
  return (
    <div class="row actions">
      {status === 'claimed' && (
        <button
          type="button"
          class="primary"
          disabled={!isSure}
          aria-label={named('Fiat sent')}
          onClick={() => void fiatSent(desk, order)}
        >
          Fiat sent
        </button>
      )}
      <ReceiptButton desk={desk} order={order} />
      {status === 'claimed' && (
        <button
          type="button"
          disabled={!isSure}
          aria-label={named('Give back')}
          onClick={() => void release(desk, order, reason)}
        >
          Give back
        </button>
      )}
      {status === 'fiat_sent' && (
        <button
          type="button"
          class="danger"
          disabled={!isSure}
          aria-label={named('Dispute')}
          onClick={() => void dispute(desk, order, reason)}
        >
          Dispute
        </button>
      )}
      {status === 'claimed' && (
        <small>Given back soon after the claim it costs nothing, later it is a strike.</small>
      )}
    </div>
  );
}

const TYPES = '.png,.jpg,.jpeg,.webp,.gif,.pdf,.heic';

/** Choosing a file sends it. The field itself is what the keyboard and screen readers have. */
function ReceiptButton({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const id = useId();
  const sending = useSignal(false);
  const onChange = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (!file || sending.value) return;
    sending.value = true;
    await uploadReceipt(desk, order, file);
    sending.value = false;
    // The same file can be chosen again.
    input.value = '';
  };
  return (
    <span class="file">
      <input
        id={id}
        type="file"
        accept={TYPES}
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
