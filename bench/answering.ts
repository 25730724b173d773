/** Lets this program answer the questions of its parent process. It exits when the parent does. */
export function answerParent<Question>(answer: (question: Question) => unknown): void {
  process.on('message', async (question: Question) => process.send?.(await answer(question)));
  process.once('disconnect', () => process.exit());
}
