import { computed, signal } from '@preact/signals';
import { clockOffset } from './api.ts';

const browserTime = signal(Date.now());
setInterval(() => {
  browserTime.value = Date.now();
}, 1_000);

/**
 * The service's time in milliseconds, updated each second. The service sets the deadlines; a browser's clock may be
 * wrong.
 */
export const now = computed(() => browserTime.value + clockOffset.value);
