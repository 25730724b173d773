import { computed, signal } from '@preact/signals';
import { clockOffset } from './api.ts';

const ticks = signal(Date.now());
setInterval(() => {
  ticks.value = Date.now();
}, 1_000);

/** The service's time in milliseconds, anew each second: deadlines are its, and a browser's clock may be wrong. */
export const now = computed(() => ticks.value + clockOffset.value);
