import { signal } from '@preact/signals';

/** Events that arrived while the user was not looking at the page. The title shows the number unless it is 0. */
export const unseen = signal(0);

const isPageSeen = () => document.visibilityState === 'visible' && document.hasFocus();
const clearIfSeen = () => {
  if (isPageSeen()) unseen.value = 0;
};
for (const event of ['focus', 'visibilitychange']) addEventListener(event, clearIfSeen, true);

/** Counts an event, unless the user is looking at the page. */
export function countUnseen(): void {
  if (!isPageSeen()) unseen.value += 1;
}
