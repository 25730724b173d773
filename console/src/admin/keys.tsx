import { useSignal } from '@preact/signals';
import type { ListedAgentKey } from '../../../src/contract/admin.ts';
import { count, time, usd } from '../format.ts';
import { Badge } from '../ui/badge.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { CreateKey, DeactivateKey, EditKey, KEYS_PATH, RotateKey } from './key-dialogs.tsx';
import { useList } from './query.ts';
import { type NewSecret, Secret } from './secret.tsx';

/** What somebody is about to do. */
type Task =
  | { name: 'create' }
  | { name: 'edit' | 'rotate' | 'deactivate'; key: ListedAgentKey }
  | { name: 'secret'; secret: NewSecret };

/** What agents authenticate with. Secrets are shown once, when they are made. */
export function Keys() {
  const keys = useList<ListedAgentKey[]>(KEYS_PATH, {});
  const task = useSignal<Task | null>(null);
  const close = () => {
    task.value = null;
  };
  const changed = async () => {
    close();
    await keys.reload();
  };
  const made = async (secret: NewSecret) => {
    task.value = { name: 'secret', secret };
    await keys.reload();
  };
  const begin = (next: Task) => () => {
    task.value = next;
  };
  const now = task.value;
  return (
    <>
      <p>
        <button type="button" class="primary" onClick={begin({ name: 'create' })}>
          Create a key
        </button>
      </p>
      <Read resource={keys} what="the agent keys">
        {(all) => (
          <Table
            caption="Agent keys, newest first"
            columns={[
              { title: 'Key', kind: 'number', cell: ({ id }) => id },
              { title: 'Name', cell: ({ name }) => name ?? '–' },
              { title: 'Integrator', cell: ({ integrator_name }) => integrator_name ?? '–' },
              {
                title: 'State',
                cell: ({ is_active }) => <Badge status={is_active ? 'active' : 'inactive'} />,
              },
              {
                title: 'Requests a minute',
                kind: 'number',
                cell: ({ rate_limit }) => (rate_limit === null ? 'no limit' : count(rate_limit)),
              },
              {
                title: 'Unsettled at most',
                kind: 'number',
                cell: ({ max_exposure_usd }) =>
                  max_exposure_usd === null ? 'no limit' : usd(max_exposure_usd),
              },
              { title: 'Created', cell: ({ created_at }) => time(created_at) },
              {
                title: 'Last used',
                cell: ({ last_used_at }) => (last_used_at ? time(last_used_at) : 'never'),
              },
              {
                title: 'Actions',
                kind: 'actions',
                cell: (key) => (
                  <span class="row">
                    <button
                      type="button"
                      onClick={begin({ name: 'edit', key })}
                      aria-label={`Change key ${key.id}`}
                    >
                      Change
                    </button>
                    {key.is_active && (
                      <>
                        <button
                          type="button"
                          onClick={begin({ name: 'rotate', key })}
                          aria-label={`Rotate key ${key.id}`}
                        >
                          Rotate
                        </button>
                        <button
                          type="button"
                          class="danger"
                          onClick={begin({ name: 'deactivate', key })}
                          aria-label={`Deactivate key ${key.id}`}
                        >
                          Deactivate
                        </button>
                      </>
                    )}
                  </span>
                ),
              },
            ]}
            rows={all}
            keyOf={({ id }) => id}
            empty="There is no agent key yet."
          />
        )}
      </Read>
      {now?.name === 'create' && <CreateKey close={close} made={made} />}
      {now?.name === 'rotate' && <RotateKey of={now.key} close={close} made={made} />}
      {now?.name === 'edit' && <EditKey of={now.key} close={close} changed={changed} />}
      {now?.name === 'deactivate' && <DeactivateKey of={now.key} close={close} changed={changed} />}
      {now?.name === 'secret' && <Secret secret={now.secret} close={close} />}
    </>
  );
}
