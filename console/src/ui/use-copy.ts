import { type Signal, useSignal } from '@preact/signals';

/** A function that copies a text, and what came of it, for a `role="status"`. `what`: what the text is, such as `key`. */
export function useCopy(what: string): { copy: (text: string) => Promise<void>; outcome: Signal<string> } {
  const outcome = useSignal('');
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.value = 'Copied.';
    } catch {
      // Browsers forbid this without https or without the user's permission.
      outcome.value = `The browser does not allow this page to copy. Select the ${what} and copy it.`;
    }
  };
  return { copy, outcome };
}
