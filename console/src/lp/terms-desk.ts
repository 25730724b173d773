import { callApi, lpPath } from '../session.ts';
import { describeError } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import type { ExplainedTerms } from './shapes.ts';
import { describeCorridor } from './terms-words.ts';

/** Sends a change, and reads the dashboard again. */
export async function postChange(desk: Desk, path: string, body: object, successText: string): Promise<void> {
  await callApi('POST', lpPath(path), { body });
  toast({ tone: 'good', text: successText });
  await desk.dashboard.reload();
}

/** The LP's terms, and how to change them. */
export interface TermsDesk {
  /** Reads the terms again. */
  reload: () => Promise<readonly ExplainedTerms[]>;
}

export const openTermsDesk = (
  desk: Desk,
  terms: { reload: () => Promise<void>; data: { peek: () => { terms: ExplainedTerms[] } | null } },
): TermsDesk => ({
  reload: async () => {
    await Promise.all([desk.dashboard.reload(), terms.reload()]);
    return terms.data.peek()?.terms ?? [];
  },
});

/** Publishes or changes terms. An undefined field stays as it is. */
export async function publishTerms(
  { reload }: TermsDesk,
  change: { currency: string; method?: string | undefined } & Record<string, unknown>,
  done: string,
): Promise<void> {
  await callApi('POST', lpPath('/terms'), { body: change });
  toast({ tone: 'good', text: done, about: change.currency });
  await reload();
}

/** Stops or resumes quoting by one method. Without a method, it applies to the whole currency. */
export async function setQuoting(
  desk: TermsDesk,
  { currency, method }: { currency: string; method?: string },
  quoting: boolean,
): Promise<void> {
  const where = method === undefined ? currency : describeCorridor({ currency, method });
  const done = quoting ? `You quote ${where} again.` : `You no longer quote ${where}.`;
  await publishTerms(desk, { currency, method, quoting }, done).catch((error) =>
    toast({ tone: 'bad', text: `${where}: ${describeError(error)}`, about: currency }),
  );
}
