/** Shorter than the limit of a test, which ends it without a word. */
const LIMIT_MS = 120_000;

/** Waits for a step of a test's Corridor. If it hangs, the error says which. */
export async function namedStep<T>(name: string, step: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name}: not done in ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    return await Promise.race([step, hangs]);
  } finally {
    clearTimeout(timer);
  }
}
