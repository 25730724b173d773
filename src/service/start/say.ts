/** Writes a line for people. The log on stdout is for machines. */
export const say = (line: string): void => {
  process.stderr.write(`corridor: ${line}\n`);
};
