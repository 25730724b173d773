import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { describeError } from './form.tsx';
import { toast } from './toasts.tsx';

/** The second click of a double click. By then another row, or the opposite action, may have taken the button's place. */
export const isDoubleClick = ({ detail }: MouseEvent): boolean => detail > 1;

/** A button that runs an action and shows its result. It is disabled during the action. */
export function Action({
  run,
  successText,
  label,
  children,
}: {
  run: () => Promise<unknown>;
  successText: string;
  /** The accessible name, if several rows have the same button. */
  label?: string;
  children: ComponentChildren;
}) {
  const busy = useSignal(false);
  const about = useId();
  const press = async (event: MouseEvent) => {
    if (isDoubleClick(event)) return;
    busy.value = true;
    try {
      await run();
      toast({ tone: 'good', text: successText, about });
    } catch (error) {
      toast({ tone: 'bad', text: describeError(error), about });
    }
    busy.value = false;
  };
  return (
    <button type="button" onClick={press} disabled={busy.value} aria-label={label}>
      {children}
    </button>
  );
}
