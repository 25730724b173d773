import { signal } from '@preact/signals';

/** A short message. With an action, it stays until the user takes the action or dismisses the message. */
export interface Toast {
  tone: 'good' | 'bad';
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 8_000;
const toasts = signal<(Toast & { id: number })[]>([]);
let lastId = 0;

export function toast(toast: Toast): void {
  lastId += 1;
  const id = lastId;
  // A new success replaces the last one: toasts cover the page, and must not hide its buttons.
  const kept = toasts.value.filter(({ tone }) => tone === 'bad' || toast.tone === 'bad');
  toasts.value = [...kept.slice(-3), { ...toast, id }];
  if (!toast.action) setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Both live regions exist from the start: some screen readers do not announce content that arrives with its region. */
export function Toasts() {
  const renderTone = (tone: Toast['tone']) =>
    toasts.value.filter((toast) => toast.tone === tone).map(ToastItem);
  return (
    <div class="toasts">
      <div role="status">{renderTone('good')}</div>
      <div role="alert">{renderTone('bad')}</div>
    </div>
  );
}

const ToastItem = ({ id, tone, text, action }: Toast & { id: number }) => (
  <div key={id} class={`toast ${tone}`}>
    <span>{text}</span>
    {action && (
      <button
        type="button"
        class="primary"
        onClick={() => {
          dismiss(id);
          action.run();
        }}
      >
        {action.label}
      </button>
    )}
    <button type="button" class="quiet" aria-label="Dismiss this message" onClick={() => dismiss(id)}>
      ×
    </button>
  </div>
);
