/**
 * Loaded before a program (`--expose-gc --import`). On SIGUSR2 it collects garbage and prints the memory in use as one
 * line on stderr: `heap 3 {"heapUsed": …, "rss": …}`, in bytes, with the number of the request.
 */
let requests = 0;

process.on('SIGUSR2', () => {
  if (!globalThis.gc) throw new Error('--expose-gc is needed to collect garbage');
  globalThis.gc();
  requests += 1;
  process.stderr.write(`heap ${requests} ${JSON.stringify(process.memoryUsage())}\n`);
});
