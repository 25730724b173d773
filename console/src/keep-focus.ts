/** Where the focus goes when the focused element disappears, from the inside out. */
const PLACES = 'article, section, tr, main';

/**
 * Keeps the focus near the place where it was. A step removes its own button, and then the browser would give the focus
 * to the whole page: a keyboard user would have to find the place again.
 */
export function keepFocus(root: HTMLElement): void {
  let focused: Element | null = null;
  let around: HTMLElement[] = [];
  addEventListener('focusin', ({ target }) => {
    focused = target as Element;
    around = [];
    for (let place = focused.closest<HTMLElement>(PLACES); place; place = outside(place)) around.push(place);
  });
  new MutationObserver(() => {
    if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
    const place = around.find(({ isConnected }) => isConnected);
    if (!place) return;
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }).observe(root, { childList: true, subtree: true });
}

const outside = (place: HTMLElement) => place.parentElement?.closest<HTMLElement>(PLACES) ?? null;
