import type { ComponentChildren } from 'preact';
import { ApiError, Unreachable } from '../api.ts';
import type { Resource } from '../resource.ts';

export const Loading = ({ what }: { what: string }) => (
  <p class="state" role="status">
    <span class="spinner" aria-hidden="true" /> Loading {what}…
  </p>
);

/** What went wrong, in the service's own words, and where it says what to do about it. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="state failure" role="alert">
      <p>
        {error.message}
        {error instanceof ApiError && <More error={error} />}
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The fields that were refused, what to do about it, and the number that finds the request in the log. */
export function More({ error }: { error: ApiError }) {
  const fields = Object.entries(error.fields);
  return (
    <>
      {fields.length > 0 && `: ${fields.map(([name, faults]) => `${name} ${faults.join(', ')}`).join('; ')}`}{' '}
      {error.code && (
        <a href={`/docs/errors#${encodeURIComponent(error.code)}`} target="_blank" rel="noreferrer">
          What to do
        </a>
      )}
      {error.status >= 500 && error.requestId && <small> Request {error.requestId}</small>}
    </>
  );
}

/**
 * What was read, or that it is being read, or why it was not; of what was read before, a failure only warns, and that the
 * service cannot be reached is said once for the whole page.
 */
export function Read<T>({
  resource: { data, error, reload },
  what,
  children,
}: {
  resource: Resource<T>;
  /** For people: `the orders`. */
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  const failure = error.value && <Failure error={error.value} retry={() => void reload()} />;
  if (data.value === null) return failure ?? <Loading what={what} />;
  return (
    <>
      {error.value instanceof Unreachable ? null : failure}
      {children(data.value)}
    </>
  );
}
