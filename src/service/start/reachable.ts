import { causeOf } from '../../db/why-unusable.ts';
import { StartupError } from '../../process/startup-error.ts';

/** The result of work that needs a server. A failure becomes one line that names the server without its password. */
export async function reachable<T>(name: string, url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const why = causeOf(error as { code?: string | number; message: string });
    throw new StartupError(`${name} at ${new URL(url).host} cannot be used (${why}).`, { cause: error });
  }
}
