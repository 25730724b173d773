import { ERROR_CODES, errorRow } from '../../http/errors.ts';
import { escaped, plainPage } from './plain-page.ts';

/** The page that explains all errors, sorted by status. */
export function errorsPage(): string {
  const all = ERROR_CODES.map((code) => ({ code, ...errorRow(code) }));
  const sections = all
    .sort((a, b) => a.status - b.status)
    .map(
      ({ code, status, text, meaning }) => `
      <section id="${code}">
        <h2><code>${code}</code> ${status}</h2>
        <p><em>${escaped(text)}</em></p>
        <p>${escaped(meaning)}</p>
      </section>`,
    );
  return plainPage(
    'Corridor: errors',
    `<h1>Errors</h1>
      <p>Every error response has its code in <code>X-Error-Code</code> and a link to its section here. Below each code is
        the standard text of the error; a response may have a more exact one.</p>${sections.join('')}`,
  );
}
