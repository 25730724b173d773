import type { ComponentChildren } from 'preact';
import type { z } from 'zod';
import type { auditPage, ListedAuditEvent } from '../../../src/api/resources/audit/schemas.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { wordsFor } from '../words.ts';
import { ACTIONS, actionWords, actorText, eventWords, objectWords } from './audit-words.ts';

const PATH = 'audit';

/** What persons changed and what they were refused. The names of actors and objects lead to all events about them. */
export function Audit({ route }: { route: Route }) {
  const filters = readFilters(route, ['actor', 'action', 'object', 'request_id', 'since', 'until', 'cursor']);
  const page = useList<z.output<typeof auditPage>>('/api/admin/audit', filters);
  return (
    <>
      <Filters
        path={PATH}
        filters={[
          { name: 'actor', label: 'Actor', type: 'text', placeholder: 'admin:3 or lp:7' },
          { name: 'action', label: 'Action', values: ACTION_NAMES, words: actionWords },
          { name: 'object', label: 'Object', type: 'text', placeholder: 'order:42 or lp:7' },
          { name: 'since', label: 'From (UTC)', type: 'date' },
          { name: 'until', label: 'Before (UTC)', type: 'date' },
        ]}
        values={filters}
      />
      {filters.request_id && (
        <p>
          Only the events of the request <code>{filters.request_id}</code>.{' '}
          <a href={linkTo(PATH)}>Show all events</a>
        </p>
      )}
      <ResourceView resource={page} what="the audit">
        {({ events, next_cursor }) => (
          <>
            <Table
              caption="Audit, newest first"
              columns={COLUMNS}
              rows={events}
              keyOf={({ id }) => id}
              empty="No events match. Change the filter, or empty it to see all events."
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
    </>
  );
}

const ACTION_NAMES = Object.keys(ACTIONS).sort((a, b) => actionWords(a).localeCompare(actionWords(b)));

const COLUMNS: Column<ListedAuditEvent>[] = [
  { title: 'Event', cell: ({ id, at }) => <Second first={id} second={<Time at={at} />} /> },
  {
    title: 'Actor, role',
    cell: ({ actor, actor_name, role }) => (
      <Second
        first={
          <a href={linkTo(PATH, { actor })} title="Show all that this actor did">
            {actorText(actor, actor_name)}
          </a>
        }
        second={role}
      />
    ),
  },
  {
    title: 'Action, result',
    cell: (event) => (
      <Second
        first={<span title={event.action}>{eventWords(event)}</span>}
        second={event.result !== 'done' && <span class="loss">refused: {wordsFor(event.result)}</span>}
      />
    ),
  },
  {
    title: 'Object',
    cell: ({ object }) =>
      object ? (
        <a href={linkTo(PATH, { object })} title="Show all that happened to this object">
          {objectWords(object)}
        </a>
      ) : (
        '–'
      ),
  },
  { title: 'Changes', cell: (event) => <Changes event={event} /> },
  { title: 'Reason', cell: ({ reason }) => reason ?? '–' },
  {
    title: 'From, request',
    cell: ({ address, request_id }) => (
      <Second
        first={address ?? '–'}
        second={
          request_id && (
            <a href={linkTo(PATH, { request_id })} title={`All events of the request ${request_id}`}>
              {shorten(request_id)}
            </a>
          )
        }
      />
    ),
  },
];

/** The beginning of a long id. The page of the request shows all of it. */
const shorten = (id: string): string => (id.length > 8 ? `${id.slice(0, 8)}…` : id);

/** Two lines of a cell. */
const Second = ({ first, second }: { first: ComponentChildren; second: ComponentChildren }) => (
  <span>
    {first}
    {second && <small class="second">{second}</small>}
  </span>
);

/** The fields that changed. One is shown, more are behind their number. */
function Changes({ event: { before, after } }: { event: ListedAuditEvent }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return '–';
  const list = (
    <ul class="changes">
      {names.map((name) => (
        <li key={name}>
          {wordsFor(name)}: {valueText(before?.[name])} → {valueText(after?.[name])}
        </li>
      ))}
    </ul>
  );
  if (names.length === 1) return list;
  return (
    <details>
      <summary>{names.length} fields</summary>
      {list}
    </details>
  );
}

/** A missing field is a dash. The audit writes `…` for a secret. */
const valueText = (value: unknown): string => {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
