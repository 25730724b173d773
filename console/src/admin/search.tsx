import type { SearchResponse, SearchResult } from '../../../src/api/resources/search/schemas.ts';
import { useResource } from '../resource.ts';
import type { Route } from '../route.ts';
import { callApi } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { wordsFor } from '../words.ts';
import { PAGES } from './named.tsx';

const COLUMNS: Column<SearchResult>[] = [
  {
    title: 'Found',
    cell: ({ kind, id, name }) => (
      <a href={PAGES[kind](id)}>
        {wordsFor(kind)} {id}
        {name && ` · ${name}`}
      </a>
    ),
  },
  { title: 'Matched', cell: ({ matched }) => wordsFor(matched) },
  { title: 'Status', cell: ({ status }) => (status ? <Badge status={status} /> : '–') },
];

/** What the text in the address names. */
export function Search({ route }: { route: Route }) {
  const text = route.query.get('q') ?? '';
  // A new text does not show the results of the last one until its own arrive.
  return <Results key={text} text={text} />;
}

function Results({ text }: { text: string }) {
  const path = `/api/admin/search?${new URLSearchParams({ q: text })}`;
  const found = useResource<SearchResponse>(
    (signal) => (text ? callApi('GET', path, { signal }) : Promise.resolve({ results: [] })),
    [path],
  );
  return (
    <ResourceView resource={found} what="the results">
      {({ results }) => (
        <Table
          caption={text ? `Results for “${text}”` : 'Results'}
          columns={COLUMNS}
          rows={results}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          empty={
            text
              ? 'Nothing has this id, hash or name. Names and hashes match from their beginning: try fewer letters.'
              : 'Write an id, a hash or a name into the field above.'
          }
        />
      )}
    </ResourceView>
  );
}
