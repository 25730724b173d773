/**
 * Loaded before a program (`--import`) that is started by `startProcess`: whatever it is asked, it answers what it has
 * used by then. Keeps no program alive; one that has lost who started it is told to end.
 */
export interface Usage {
  /** Of all its threads since it began, in milliseconds. */
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
