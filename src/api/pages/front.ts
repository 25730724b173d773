import { CHAIN_NAMES, CHAINS, type Chain } from '../../domain/assets.ts';
import { ERRORS_PATH } from '../../http/error-responses.ts';
import { LLMS_PATH } from './llms.ts';
import { LOGO_PATH, plainPage } from './plain-page.ts';

/** What the page says of an installation. */
export interface Installation {
  sandbox: boolean;
  /** Those with a node are real; the others are simulated in a sandbox, and not offered without one. */
  chains: Partial<Record<Chain, unknown>>;
}

const LINKS = [
  [
    '/console',
    'Console',
    'For liquidity providers, agents and admins: orders, terms, webhooks, disputes and keys.',
  ],
  ['/docs', 'API reference', 'Every route, with forms to try it.'],
  [ERRORS_PATH, 'Errors', 'What each error means, and what to do about it.'],
  ['/openapi.json', 'OpenAPI document', 'The API for generators of clients and for tests.'],
  [LLMS_PATH, 'llms.txt', 'A short guide for language models that write programs.'],
  ['/readyz', 'Health', 'Whether the API, the database, Temporal and a worker are available.'],
] as const;

/** The page that a browser shows at the API's address. */
export const frontPage = ({ sandbox, chains }: Installation): string =>
  plainPage(
    'Corridor',
    `<header>
        <img src="${LOGO_PATH}" alt="" width="40" height="40">
        <h1>Corridor</h1>
        <span class="${sandbox ? 'sandbox' : 'live'}">${sandbox ? 'Sandbox' : 'Live'}</span>
      </header>
      <p>Payments between fiat and crypto: agents ask for a payout, liquidity providers send the fiat, and Corridor
        verifies the crypto that pays for it.</p>
      <p>${describeChains(sandbox, realChains(chains))}</p>
      <ul class="links">${LINKS.map(
        ([path, name, about]) => `
        <li><a href="${path}">${name}</a> ${about}</li>`,
      ).join('')}
      </ul>`,
  );

const realChains = (chains: Installation['chains']): string[] =>
  CHAINS.filter((chain) => chains[chain]).map((chain) => CHAIN_NAMES[chain]);

function describeChains(sandbox: boolean, real: string[]): string {
  const listed = real.join(', ').replace(/, ([^,]*)$/, ' and $1');
  if (!sandbox) return `This installation is live. It takes payments on ${listed}.`;
  if (real.length === 0)
    return 'This installation is a sandbox. It simulates every chain, so no crypto moves.';
  return `This installation is a sandbox with real chains: payments on ${listed} are real, and it simulates the other chains.`;
}
