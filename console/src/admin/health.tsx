import type { z } from 'zod';
import type { readyResponse } from '../../../src/contract/health.ts';
import { ApiError, call } from '../api.ts';
import { useResource } from '../resource.ts';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';

type Readiness = z.output<typeof readyResponse>;

const LOOK_EVERY_MS = 5_000;

export function Health() {
  const readiness = useResource(read, [], LOOK_EVERY_MS);
  return (
    <Read resource={readiness} what="the state of the service">
      {({ ready, ...parts }) => (
        <Table
          caption={ready ? 'Everything that an order needs is there' : 'Something that an order needs is away'}
          columns={[
            { title: 'Part', cell: ([name]) => name },
            {
              title: 'State',
              cell: ([, there]) => <span class={`badge ${there ? 'good' : 'bad'}`}>{there ? 'there' : 'away'}</span>,
            },
          ]}
          rows={Object.entries(parts)}
          keyOf={([name]) => name}
          empty="Nothing is known."
        />
      )}
    </Read>
  );
}

/** What is not ready says what is missing, with a 503. */
async function read(signal: AbortSignal): Promise<Readiness> {
  try {
    return await call<Readiness>('GET', '/readyz', { signal });
  } catch (error) {
    const body = error instanceof ApiError && error.status === 503 ? error.body : undefined;
    if (body && typeof body === 'object' && 'ready' in body) return body as Readiness;
    throw error;
  }
}
