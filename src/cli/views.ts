import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type Cli, idArgument } from './cli.ts';
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

interface Options {
  lp?: number;
  currency?: string;
}

/** `views`: links into the Temporal UI. */
export function addViewsCommand(program: Command, { show, env }: Cli): void {
  program
    .command('views')
    .description('print links to lists of orders in the Temporal UI, such as the overdue ones')
    .option('--lp <id>', 'also print the view of this LP’s orders', idArgument)
    .option('--currency <code>', 'also print the view of this currency’s orders', currencyArgument)
    .action(async ({ lp, currency }: Options) => {
      const { workflowsUrl } = await ownServers(env);
      const given: Record<string, string | undefined> = {
        ...{ now: new Date().toISOString(), lp: lp?.toString(), currency },
      };
      const views = (await readViews()).flatMap(({ name, shows, query }) => {
        const filled = query.replace(/\{(\w+)\}/g, (whole, field: string) => given[field] ?? whole);
        if (filled.includes('{')) return [];
        const url = workflowsUrl ? `${workflowsUrl}?query=${encodeURIComponent(filled)}` : null;
        return [{ name, shows, query: filled, url }];
      });
      show(views, () => views.map(inWords).join('\n\n'));
    });
}

const inWords = ({
  name,
  shows,
  query,
  url,
}: {
  name: string;
  shows: string;
  query: string;
  url: string | null;
}) => `${name}: ${shows}\n  ${url ?? `${query}   (set TEMPORAL_UI_URL for a link)`}`;

function currencyArgument(text: string): string {
  if (!/^[A-Z]{3}$/.test(text)) throw new InvalidArgumentError('Write three capital letters, such as KES.');
  return text;
}
