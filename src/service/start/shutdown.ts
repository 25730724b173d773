import { say } from './say.ts';

type Stop = () => Promise<void>;

/** The components that this process has started, and how to stop them. */
export interface Shutdown {
  /** Aborted when the process must stop: a start in progress ends at its next check. */
  signal: AbortSignal;
  add: (stop: Stop) => void;
  abort: () => void;
  /** Stops everything once, the last started first. If a part fails to stop, the others still stop. */
  stopAll: () => Promise<void>;
}

export function createShutdown(): Shutdown {
  const started: Stop[] = [];
  const stopping = new AbortController();
  let stopped: Promise<void> | undefined;

  async function stopEach(): Promise<void> {
    for (const stop of started.splice(0).reverse())
      await stop().catch((error) => say(`while stopping: ${(error as Error).message}`));
  }
  return {
    signal: stopping.signal,
    add: (stop) => started.push(stop),
    abort: () => stopping.abort(),
    stopAll: () => {
      stopped ??= stopEach();
      return stopped;
    },
  };
}
