/** What has to be undone at the end, however the end comes: last in, first out. */
export interface Ending {
  add: (undo: () => Promise<void>) => void;
  /** Undoes everything that has been added by then; called again, waits for the same. */
  come: () => Promise<void>;
}

export function createEnding(complain: (line: string) => void): Ending {
  const undos: (() => Promise<void>)[] = [];
  let coming: Promise<void> | undefined;
  return {
    add: (undo) => void undos.push(undo),
    come: () => {
      coming ??= (async () => {
        // One that fails must not keep the others from being tried.
        for (let undo = undos.pop(); undo; undo = undos.pop())
          await undo().catch((error) => complain(`At the end: ${(error as Error).message}`));
      })();
      return coming;
    },
  };
}

/** Has the end come when the program is told to stop, which then ends with 1. */
export function endOnSignals(come: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void come().finally(() => process.exit(1)));
}
