/**
 * Loaded before a program (`--expose-gc --import`). On SIGUSR2 it collects garbage and prints the rest, as
 * one line on stderr: `heap 3 {"heapUsed": …, "rss": …}`, in bytes, with the number of the request.
 */
let asked = 0;

process.on('SIGUSR2', () => {
  if (!globalThis.gc) throw new Error('--expose-gc is needed to collect garbage');
  globalThis.gc();
  asked += 1;
  process.stderr.write(`heap ${asked} ${JSON.stringify(process.memoryUsage())}\n`);
});
