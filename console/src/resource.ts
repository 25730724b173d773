import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Data that a view reads from the service. The last data stays visible during a reload, and when a reload fails. */
export interface Resource<T> {
  data: Signal<T | null>;
  error: Signal<Error | null>;
  loading: Signal<boolean>;
  /** Reads the data again. Never throws: a failure is in `error`. */
  reload: () => Promise<void>;
}

export function createResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
): Resource<T> & { stop: () => void } {
  const data = signal<T | null>(null);
  const error = signal<Error | null>(null);
  const loading = signal(false);
  let latest: AbortController | undefined;
  let reading = Promise.resolve();

  /**
   * Only the latest read counts, because an older one may have another filter. A read that is replaced ends with the one that
   * replaces it, so that its caller finds new data.
   */
  const reload = () => {
    latest?.abort();
    latest = new AbortController();
    reading = readFor(latest);
    return reading;
  };
  const readFor = async (own: AbortController): Promise<void> => {
    loading.value = true;
    try {
      const read = await load(own.signal);
      if (latest !== own) return reading;
      data.value = read;
      error.value = null;
    } catch (failure) {
      if (latest !== own) return reading;
      error.value = failure as Error;
    }
    loading.value = false;
  };
  const stop = () => {
    latest?.abort();
    latest = undefined;
    reading = Promise.resolve();
  };
  return { data, error, loading, reload, stop };
}

/**
 * Reads data while a view is mounted: immediately, when one of `inputs` changes, and every `everyMs` while the page is
 * visible.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  everyMs?: number,
): Resource<T> {
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const [resource] = useState(() => createResource((signal) => latestLoad.current(signal)));
  useEffect(() => {
    void resource.reload();
    const reloadIfVisible = () => {
      if (document.visibilityState === 'visible') void resource.reload();
    };
    const timer = everyMs === undefined ? undefined : setInterval(reloadIfVisible, everyMs);
    return () => {
      clearInterval(timer);
      resource.stop();
    };
    // `load` is a new function on every render, so it is not an input.
  }, [...inputs, everyMs]);
  return resource;
}
