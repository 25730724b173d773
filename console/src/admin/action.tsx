import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { wordsFor } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

/** A button that does something at once, says what came of it, and cannot be pressed twice meanwhile. */
export function Action({
  run,
  done,
  label,
  children,
}: {
  run: () => Promise<unknown>;
  /** What is said when it has been done. */
  done: string;
  /** For screen readers, where the button stands in a row of others like it. */
  label?: string;
  children: ComponentChildren;
}) {
  const busy = useSignal(false);
  const press = async () => {
    busy.value = true;
    try {
      await run();
      toast({ tone: 'good', text: done });
    } catch (error) {
      toast({ tone: 'bad', text: wordsFor(error) });
    }
    busy.value = false;
  };
  return (
    <button type="button" onClick={press} disabled={busy.value} aria-label={label}>
      {children}
    </button>
  );
}
