import { useSignal } from '@preact/signals';
import { Dialog } from '../ui/dialog.tsx';

/** A secret that has just been made. It is in this page's memory while it is shown, and nowhere else in the browser. */
export interface NewSecret {
  /** The key that it is of. */
  id: number;
  text: string;
  /** The service's word on it. */
  warning: string;
  more: string | null;
}

export function Secret({
  secret: { id, text, warning, more },
  close,
}: {
  secret: NewSecret;
  close: () => void;
}) {
  const copied = useSignal('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copied.value = 'Copied.';
    } catch {
      // Without https, or forbidden: it can still be marked by hand.
      copied.value = 'The browser does not let this page copy: mark it and copy it yourself.';
    }
  };
  return (
    <Dialog title={`The secret of key ${id}`} close={close}>
      <p>
        <code class="secret">{text}</code>
      </p>
      <p>
        <strong>{warning}.</strong> {more}
      </p>
      <div class="row">
        <button type="button" class="primary" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={close}>
          I have stored it
        </button>
        <span role="status">{copied.value}</span>
      </div>
    </Dialog>
  );
}
