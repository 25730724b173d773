import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A short message. A success disappears by itself. A failure stays until the user dismisses it, or until a later message
 * is about the same: then it is over, or out of date.
 */
export interface Toast {
  tone: 'good' | 'bad';
  text: string;
  /** What the message is about, such as `order 7`. */
  about?: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 8_000;
const toasts = signal<(Toast & { id: number })[]>([]);
let lastId = 0;

export function toast(toast: Toast): void {
  lastId += 1;
  const id = lastId;
  // A new success also replaces the last one.
  const kept = toasts.value.filter(
    ({ tone, about }) =>
      (tone === 'bad' || toast.tone === 'bad') && (about === undefined || about !== toast.about),
  );
  toasts.value = [...kept.slice(-3), { ...toast, id }];
  if (toast.tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number) => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

/** Dismisses the messages about this, for example after a retry that shows its success elsewhere. */
export function dismissAbout(about: string): void {
  toasts.value = toasts.value.filter((toast) => toast.about !== about);
}

export const clearToasts = (): void => {
  toasts.value = [];
};

/** Both live regions exist from the start: some screen readers do not announce content that arrives with its region. */
export function Toasts() {
  const bar = useRef<HTMLDivElement>(null);
  // The messages are below the page, as if the window were less high. What has the focus moves above them, in the same
  // frame in which a message appears.
  useLayoutEffect(() => {
    document.documentElement.style.scrollPaddingBottom = `${bar.current?.offsetHeight ?? 0}px`;
    if (toasts.value.length === 0) return;
    const showFocused = () => document.activeElement?.scrollIntoView({ block: 'nearest' });
    showFocused();
    addEventListener('focusin', showFocused);
    return () => removeEventListener('focusin', showFocused);
  }, [toasts.value]);
  const renderTone = (tone: Toast['tone']) =>
    toasts.value.filter((toast) => toast.tone === tone).map(ToastItem);
  return (
    <div class="toasts" ref={bar}>
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
