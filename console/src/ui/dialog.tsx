import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** Asks something before the page goes on. The browser keeps the keyboard in it, and Escape closes it. */
export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const gone = useRef(false);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // What it is there for; the browser would begin with the button that closes it.
    shown?.querySelector<HTMLElement>('form :is(input, select), button.primary')?.focus();
    // The keyboard goes back to where it was; that it has closed is no news to who took it away.
    return () => {
      gone.current = true;
      shown?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => gone.current || close()}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
