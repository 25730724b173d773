import { useSignal } from '@preact/signals';

/** The dialog that a page has open, with what it is about. `Open` describes those that the page can open. */
export function useDialog<Open>() {
  const current = useSignal<Open | null>(null);
  const open = (next: Open): void => {
    current.value = next;
  };
  return {
    current: current.value,
    open,
    /** A click handler. */
    opener: (next: Open) => () => open(next),
    close: () => {
      current.value = null;
    },
  };
}
