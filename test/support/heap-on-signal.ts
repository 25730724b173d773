/**
 * Loaded before a program of ours (`--expose-gc --import`): on SIGUSR2 it collects garbage and says what is left, as
 * one line on stderr: `heap 3 {"heapUsed": …, "rss": …}`, bytes, with how many times it has been asked.
 */
let asked = 0;

process.on('SIGUSR2', () => {
  if (!globalThis.gc) throw new Error('--expose-gc is needed to collect garbage');
  globalThis.gc();
  asked += 1;
  process.stderr.write(`heap ${asked} ${JSON.stringify(process.memoryUsage())}\n`);
});
