/** How long a question waits for the work that is under way, in ms, before it is worked on beside it. */
const PATIENCE_MS = 5;

/**
 * Work that can be done for many at once. Who asks while nothing is under way is served at once, with all others of the
 * same turn of the event loop; those who ask meanwhile are gathered, and served together as soon as that is done. So
 * the more ask, the fewer round trips each of them costs, and work that hangs holds nobody up.
 *
 * `work` answers its questions in their order, `most` of them at a time; its failure is told to all of these.
 */
export function gathered<Question, Answer>(
  work: (questions: Question[]) => Promise<Answer[]>,
  most: number,
): (question: Question) => Promise<Answer> {
  interface Waiting {
    question: Question;
    resolve: (answer: Answer) => void;
    reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let underWay = 0;
  let patience: NodeJS.Timeout | undefined;

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (waiting.length > 1) return;
      if (underWay === 0) setImmediate(serveAll);
      else patience = setTimeout(serveAll, PATIENCE_MS);
    });

  function serveAll(): void {
    clearTimeout(patience);
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += most) serve(all.slice(from, from + most));
  }

  async function serve(some: Waiting[]): Promise<void> {
    underWay += 1;
    try {
      const answers = await work(some.map(({ question }) => question));
      for (const [i, { resolve }] of some.entries()) resolve(answers[i] as Answer);
    } catch (error) {
      for (const { reject } of some) reject(error);
    } finally {
      underWay -= 1;
      if (underWay === 0) serveAll();
    }
  }
}
