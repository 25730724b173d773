import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Something that is read from the service and shown. What was read stays to be seen while it is read again, and when that fails. */
export interface Resource<T> {
  data: Signal<T | null>;
  error: Signal<Error | null>;
  loading: Signal<boolean>;
  /** Reads it again. Never throws: what fails is in `error`. */
  reload: () => Promise<void>;
}

export function createResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
): Resource<T> & { stop: () => void } {
  const data = signal<T | null>(null);
  const error = signal<Error | null>(null);
  const loading = signal(false);
  let current: AbortController | undefined;

  /** Only the newest reading counts: an older one may be of another filter. */
  const reload = async () => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    loading.value = true;
    try {
      const read = await load(mine.signal);
      if (current !== mine) return;
      data.value = read;
      error.value = null;
    } catch (failure) {
      if (current !== mine) return;
      error.value = failure as Error;
    }
    loading.value = false;
  };
  const stop = () => {
    current?.abort();
    current = undefined;
  };
  return { data, error, loading, reload, stop };
}

/**
 * Reads something while a view is shown: at once, whenever one of `inputs` changes, and every `everyMs` while the page
 * can be seen.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs?: number,
): Resource<T> {
  const latest = useRef(load);
  latest.current = load;
  const [made] = useState(() => createResource((signal) => latest.current(signal)));
  useEffect(() => {
    void made.reload();
    const again = () => {
      if (document.visibilityState === 'visible') void made.reload();
    };
    const timer = everyMs === undefined ? undefined : setInterval(again, everyMs);
    return () => {
      clearInterval(timer);
      made.stop();
    };
    // Read again for other inputs; `load` itself is new each time that the view is drawn.
  }, [...inputs, everyMs]);
  return made;
}
