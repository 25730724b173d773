import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { Cli } from './cli.ts';
import { command } from './command.ts';
import { ownServers } from './own-servers.ts';

/** A named query for the orders' workflows. */
export interface View {
  name: string;
  shows: string;
  /** Temporal's list filter, with placeholders in braces. */
  query: string;
  /** The link in the document; null if the query has placeholders. */
  link: string | null;
}

/** The only place that defines the views: the document that operators read. */
const DOCUMENT = new URL('../../ops/views.md', import.meta.url);
const ROW =
  /^\| (?:\[(?<linked>[^\]]+)\]\((?<link>[^)]+)\)|(?<plain>[^|]+?)) \| (?<shows>[^|]+?) \| `(?<query>[^`|]+)` \|$/gm;

export async function readViews(): Promise<View[]> {
  const text = await readFile(DOCUMENT, 'utf8');
  return [...text.matchAll(ROW)].map(({ groups = {} }) => ({
    name: groups.linked ?? groups.plain ?? '',
    shows: groups.shows ?? '',
    query: groups.query ?? '',
    link: groups.link ?? null,
  }));
}

/** A view with its placeholders filled in, and its address if the Temporal UI is known. */
interface Link {
  name: string;
  shows: string;
  query: string;
  url: string | null;
}

/** `views`: links into the Temporal UI. */
export const VIEW_COMMANDS = [
  command('views', 'print links to lists of orders in the Temporal UI, such as the overdue ones', {
    call: links,
    options: {
      '--lp <id>': 'also print the view of this LP’s orders',
      '--currency <code>': { does: 'also print the view of this currency’s orders', parse: currencyArgument },
    },
    print: (views) => views.map(inWords).join('\n\n'),
  }),
];

async function links({ env }: Cli, { lp, currency }: { lp?: number; currency?: string }): Promise<Link[]> {
  const { workflowsUrl } = await ownServers(env);
  const given: Record<string, string | undefined> = {
    ...{ now: new Date().toISOString(), lp: lp?.toString(), currency },
  };
  return (await readViews()).flatMap(({ name, shows, query }) => {
    const filled = query.replace(/\{(\w+)\}/g, (whole, field: string) => given[field] ?? whole);
    if (filled.includes('{')) return [];
    const url = workflowsUrl ? `${workflowsUrl}?query=${encodeURIComponent(filled)}` : null;
    return [{ name, shows, query: filled, url }];
  });
}

const inWords = ({ name, shows, query, url }: Link): string =>
  `${name}: ${shows}\n  ${url ?? `${query}   (set TEMPORAL_UI_URL for a link)`}`;

function currencyArgument(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('Write three capital letters, such as KES.');
  return text;
}
