import { Dialog } from '../ui/dialog.tsx';
import { useCopy } from '../ui/use-copy.ts';

/** A new secret. The browser keeps it only in the page's memory, and only while the dialog is open. */
export interface NewSecret {
  /** Whose it is, such as `The secret of key 7`. */
  title: string;
  text: string;
  /** The webhook secret of a new key. */
  webhookSecret?: string;
  /** The service's warning. */
  warning: string;
  more: string | null;
}

export function SecretDialog({
  secret: { title, text, webhookSecret, warning, more },
  close,
}: {
  secret: NewSecret;
  close: () => void;
}) {
  const { copy, outcome } = useCopy('secret');
  return (
    <Dialog title={title} close={close}>
      <p>
        <code class="secret">{text}</code>
      </p>
      {webhookSecret && (
        <p>
          The secret that signs its webhooks: <code class="secret">{webhookSecret}</code>
        </p>
      )}
      <p>
        <strong>{warning}.</strong> {more}
      </p>
      <div class="row">
        <button type="button" class="primary" onClick={() => copy(text)}>
          Copy
        </button>
        {webhookSecret && (
          <button type="button" onClick={() => copy(webhookSecret)}>
            Copy the webhook secret
          </button>
        )}
        <button type="button" onClick={close}>
          I have stored it
        </button>
        <span role="status">{outcome}</span>
      </div>
    </Dialog>
  );
}
