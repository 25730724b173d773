import { signal } from '@preact/signals';

/** How many things have come in that nobody has looked at; stands in the title while it is not nought. */
export const unseen = signal(0);

const isLookedAt = () => document.visibilityState === 'visible' && document.hasFocus();
const look = () => {
  if (isLookedAt()) unseen.value = 0;
};
for (const event of ['focus', 'visibilitychange']) addEventListener(event, look, true);

/** Counts something that came in while the page was not looked at. */
export function noteNews(): void {
  if (!isLookedAt()) unseen.value += 1;
}
