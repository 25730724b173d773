import type { ComponentChildren } from 'preact';
import { ApiError, UnreachableError } from '../api.ts';
import type { Resource } from '../resource.ts';
import { Icon } from './icon.tsx';
import { NewTab } from './new-tab.tsx';

export const Loading = ({ what }: { what: string }) => (
  <p class="state" role="status">
    <span class="spinner" aria-hidden="true" /> Loading {what}…
  </p>
);

/** An error: the service's message, and a link to the remedy. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="state failure" role="alert">
      <p>
        <Icon name="incident" /> {error.message}
        {error instanceof ApiError && <ErrorDetails error={error} />}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export const describeFields = ({ fields }: ApiError): string =>
  Object.entries(fields)
    .map(([name, faults]) => `${name} ${faults.join(', ')}`)
    .join('; ');

/** The refused fields, a link to the error's documentation, and the id that finds the request in the service's log. */
function ErrorDetails({ error }: { error: ApiError }) {
  const fields = describeFields(error);
  return (
    <>
      {fields && `: ${fields}`}{' '}
      {error.code && <NewTab href={`/docs/errors#${encodeURIComponent(error.code)}`}>What to do</NewTab>}
      {error.status >= 500 && error.requestId && <small> Request {error.requestId}</small>}
    </>
  );
}

/**
 * Shows the data of a resource, its loading state or its error. An error of a reload appears above the last data. The
 * page shows an unreachable service once at its top, so this view does not repeat it.
 */
export function ResourceView<T>({
  resource: { data, error, reload },
  what,
  children,
}: {
  resource: Resource<T>;
  /** Names the data in messages: `the orders`. */
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  const failure = error.value && <Failure error={error.value} retry={() => void reload()} />;
  if (data.value === null) return failure ?? <Loading what={what} />;
  return (
    <>
      {error.value instanceof UnreachableError ? null : failure}
      {children(data.value)}
    </>
  );
}
