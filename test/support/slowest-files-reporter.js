/** Prints the ten slowest files, so that a file that becomes slow is noticed. */
export default class SlowestFilesReporter {
  onRunComplete(_contexts, { testResults }) {
    const files = testResults
      .filter(({ skipped, perfStats }) => !skipped && perfStats.runtime > 0)
      .sort((a, b) => b.perfStats.runtime - a.perfStats.runtime)
      .slice(0, 10);
    if (files.length < 10) return;
    const lines = files.map(({ perfStats, testFilePath }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(6);
      return `${seconds} s  ${testFilePath.replace(`${process.cwd()}/`, '')}`;
    });
    process.stderr.write(`\nSlowest files:\n${lines.join('\n')}\n`);
  }
}
