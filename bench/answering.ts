/** Lets this program answer what the one that started it asks; it ends with that one. */
export function answer<Question>(work: (question: Question) => unknown): void {
  process.on('message', async (question: Question) => process.send?.(await work(question)));
  process.once('disconnect', () => process.exit());
}
