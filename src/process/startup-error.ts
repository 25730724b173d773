/** An error at start that the user can correct. It is shown as one line, without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
