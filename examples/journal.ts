/** Makes each payment once, also after a crash. Both programs use it; see README.md in this folder. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Journal {
  /** Whether the payment was begun. */
  has: (payment: string) => boolean;
  /** Makes the payment, unless it was made before. Returns what `send` returned when it made it, such as its hash. */
  payOnce: (payment: string, send: () => Promise<string>) => Promise<string>;
}

/**
 * Notes payments in a file in `JOURNAL_DIR`, by default the folder of the programs. A restarted program reads it and does not pay again, so keep the file, and run one program with it
 * at a time. A real program keeps this in its database.
 */
export function openJournal(name: string): Journal {
  // Not the working directory: a program that is started elsewhere must find its payments.
  const file = join(process.env.JOURNAL_DIR ?? import.meta.dirname, name);
  /** By payment: what it returned, or undefined if it has begun and its end is not noted. */
  const payments = new Map<string, string | undefined>();
  const running = new Map<string, Promise<string>>();
  for (const line of readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n')) {
    const [, payment, state, result] = /^(.+): (sending|sent)(?: (.+))?$/.exec(line) ?? [];
    if (payment) payments.set(payment, state === 'sent' ? (result ?? '') : payments.get(payment));
  }

  async function pay(payment: string, send: () => Promise<string>): Promise<string> {
    const earlier = payments.get(payment);
    if (earlier !== undefined) return earlier;
    if (payments.has(payment))
      throw new Error(
        `its payment failed or was interrupted. If it was made, add the line "${payment}: sent HASH" to ${file}, with its hash or number, otherwise remove its line there. Then restart`,
      );
    // On the disk before the program continues. A line that a crash has cut off does not join the next one.
    const note = (state: string) => appendFileSync(file, `\n${payment}: ${state}`, { flush: true });
    note('sending');
    payments.set(payment, undefined);
    const result = await send();
    note(`sent ${result}`);
    payments.set(payment, result);
    return result;
  }
  return {
    has: (payment) => payments.has(payment),
    payOnce: (payment, send) => {
      // Two webhooks, or the feed and a start, may ask for one payment at the same time.
      const paying = running.get(payment) ?? pay(payment, send).finally(() => running.delete(payment));
      running.set(payment, paying);
      return paying;
    },
  };
}
