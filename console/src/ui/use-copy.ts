import { type Signal, useSignal } from '@preact/signals';

/** Copies a text, and returns what came of it in words. `what`: what the text is, such as `key`. */
export async function copyText(text: string, what: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    // Browsers forbid this without https or without the user's permission.
    return `The browser does not allow this page to copy. Select the ${what} and copy it.`;
  }
}

/** A function that copies a text, and what came of it, for a `role="status"`. */
export function useCopy(what: string): { copy: (text: string) => Promise<void>; outcome: Signal<string> } {
  const outcome = useSignal('');
  const copy = async (text: string) => {
    outcome.value = await copyText(text, what);
  };
  return { copy, outcome };
}
