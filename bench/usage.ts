/**
 * Loaded with `--import` into a program that `startProcess` starts. It answers every question with the resources that the
 * program has used so far. It does not keep the program alive, and stops it when its parent process ends.
 */
export interface Usage {
  /** CPU time of all threads since the start, in milliseconds. */
  cpuMs: number;
  /** Resident bytes. */
  resident: number;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMs: (user + system) / 1_000, resident: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
