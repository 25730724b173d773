import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A modal dialog. The browser keeps the focus inside it, and Escape closes it. */
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
  const isUnmounted = useRef(false);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would focus the close button, which comes first. A required input is more useful.
    const find = (selector: string) => element?.querySelector<HTMLElement>(selector);
    (find('form input[required]') ?? find('form :is(input, select), button.primary'))?.focus();
    // Closing returns the focus to the opener. The parent unmounted the dialog, so it needs no `close` call.
    return () => {
      isUnmounted.current = true;
      element?.close();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => isUnmounted.current || close()}>
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
