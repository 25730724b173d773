import type { describe, test } from '@jest/globals';

/**
 * For tests that need an optional tool of the machine: `block` is Jest's `describe` or `test`. Without the tool they are
 * skipped with the message. If `CI` is set they run, and fail.
 */
export function withTool<Block extends typeof describe | typeof test>(
  block: Block,
  isFound: boolean,
  message: string,
): Block | Block['skip'] {
  if (isFound || process.env.CI) return block;
  process.stderr.write(`\nSkipped: ${message}\n`);
  return block.skip;
}
