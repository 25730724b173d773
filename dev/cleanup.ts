/** Undoes in reverse order what a program has started, even if the program fails or is interrupted. */
export interface Cleanup {
  add: (undo: () => Promise<void>) => void;
  /** Undoes everything added so far. A second call waits for the first. */
  run: () => Promise<void>;
}

export function createCleanup(reportFailure: (line: string) => void): Cleanup {
  const undos: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  return {
    add: (undo) => void undos.push(undo),
    run: () => {
      running ??= (async () => {
        // One failed step does not stop the others.
        for (let undo = undos.pop(); undo; undo = undos.pop())
          await undo().catch((error) => reportFailure(`Cleanup failed: ${(error as Error).message}`));
      })();
      return running;
    },
  };
}

/** A program of the command line: it prints lines, and undoes what it has started if it is interrupted. */
export function createProgram(): { say: (line: string) => boolean; cleanup: Cleanup } {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const cleanup = createCleanup(say);
  cleanUpOnSignals(cleanup.run);
  return { say, cleanup };
}

/** Runs the cleanup on SIGINT and SIGTERM, then exits with code 1. */
export function cleanUpOnSignals(runCleanup: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void runCleanup().finally(() => process.exit(1)));
}
