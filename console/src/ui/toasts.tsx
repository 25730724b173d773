import { signal } from '@preact/signals';

/** Something that has happened; one with an action stays until it is taken or put away. */
export interface Toast {
  tone: 'good' | 'bad';
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 8_000;
const toasts = signal<(Toast & { id: number })[]>([]);
let newest = 0;

export function toast(toast: Toast): void {
  newest += 1;
  const id = newest;
  // What went well is news until the next does: messages stand before the page, and must not hide its buttons.
  const held = toasts.value.filter(({ tone }) => tone === 'bad' || toast.tone === 'bad');
  toasts.value = [...held.slice(-3), { ...toast, id }];
  if (!toast.action) setTimeout(() => putAway(id), SHOWN_MS);
}

const putAway = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Both regions are there from the start: what is put into one that is new is not read out by all screen readers. */
export function Toasts() {
  const shown = (tone: Toast['tone']) => toasts.value.filter((toast) => toast.tone === tone).map(OneToast);
  return (
    <div class="toasts">
      <div role="status">{shown('good')}</div>
      <div role="alert">{shown('bad')}</div>
    </div>
  );
}

const OneToast = ({ id, tone, text, action }: Toast & { id: number }) => (
  <div key={id} class={`toast ${tone}`}>
    <span>{text}</span>
    {action && (
      <button
        type="button"
        class="primary"
        onClick={() => {
          putAway(id);
          action.run();
        }}
      >
        {action.label}
      </button>
    )}
    <button type="button" class="quiet" aria-label="Put this message away" onClick={() => putAway(id)}>
      ×
    </button>
  </div>
);
