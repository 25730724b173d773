import type { ListedAgentKey } from '../../../src/api/resources/agent-keys/schemas.ts';
import { formatCount, formatUsd } from '../format.ts';
import { useList } from '../list-resource.ts';
import { isPermitted } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { ifPermitted, NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { CreateKey, DeactivateKey, EditKey, KEYS_PATH, RotateKey } from './key-dialogs.tsx';
import { keyState } from './key-state.ts';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

/** The dialog that is open. */
type OpenDialog =
  | { name: 'create' }
  | { name: 'edit' | 'rotate' | 'deactivate'; key: ListedAgentKey }
  | { name: 'secret'; secret: NewSecret };

/** The keys with which agents authenticate. The page shows each secret once, when the service creates it. */
export function Keys() {
  const keys = useList<ListedAgentKey[]>(KEYS_PATH, {});
  const { current, open, opener, close } = useDialog<OpenDialog>();
  const onChanged = async () => {
    close();
    await keys.reload();
  };
  const onSecret = async (secret: NewSecret) => {
    open({ name: 'secret', secret });
    await keys.reload();
  };
  const actions: Column<ListedAgentKey> = {
    title: 'Actions',
    kind: 'actions',
    cell: (key) => (
      <span class="row">
        <button type="button" onClick={opener({ name: 'edit', key })} aria-label={`Change key ${key.id}`}>
          Change
        </button>
        {key.is_active && (
          <>
            <button
              type="button"
              onClick={opener({ name: 'rotate', key })}
              aria-label={`Rotate key ${key.id}`}
            >
              Rotate
            </button>
            <button
              type="button"
              class="danger"
              onClick={opener({ name: 'deactivate', key })}
              aria-label={`Deactivate key ${key.id}`}
            >
              Deactivate
            </button>
          </>
        )}
      </span>
    ),
  };
  return (
    <>
      <NotPermitted permission="keys:manage" />
      {isPermitted('keys:manage') && (
        <p>
          <button type="button" class="primary" onClick={opener({ name: 'create' })}>
            Create a key
          </button>
        </p>
      )}
      <ResourceView resource={keys} what="the agent keys">
        {(all) => (
          <Table
            caption="Agent keys, newest first"
            columns={[...COLUMNS, ...ifPermitted('keys:manage', actions)]}
            rows={all}
            keyOf={({ id }) => id}
            empty="There are no agent keys yet. Create one for each agent, so that it can request payments."
          />
        )}
      </ResourceView>
      {current?.name === 'create' && <CreateKey close={close} onSecret={onSecret} />}
      {current?.name === 'rotate' && <RotateKey agentKey={current.key} close={close} onSecret={onSecret} />}
      {current?.name === 'edit' && <EditKey agentKey={current.key} close={close} onChanged={onChanged} />}
      {current?.name === 'deactivate' && (
        <DeactivateKey agentKey={current.key} close={close} onChanged={onChanged} />
      )}
      {current?.name === 'secret' && <SecretDialog secret={current.secret} close={close} />}
    </>
  );
}

const COLUMNS: Column<ListedAgentKey>[] = [
  { title: 'Key', cell: ({ id }) => id },
  {
    title: 'Name, integrator',
    cell: ({ name, integrator_name }) => (
      <span>
        {name ?? '–'}
        {integrator_name && <small class="second">{integrator_name}</small>}
      </span>
    ),
  },
  {
    title: 'State, limits',
    cell: (key) => (
      <span>
        <Badge status={keyState(key)} />
        {key.expires_at && (
          <small class="second">
            ends <Time at={key.expires_at} />
          </small>
        )}
        {key.scopes && <small class="second">only {key.scopes.join(', ')}</small>}
        {key.allowed_ips && <small class="second">only from {key.allowed_ips.join(', ')}</small>}
      </span>
    ),
  },
  {
    title: 'Per minute, unsettled limit',
    kind: 'number',
    cell: ({ rate_limit, max_exposure_usd }) => (
      <span>
        {rate_limit === null ? 'the default' : formatCount(rate_limit)}
        <small class="second">{max_exposure_usd === 0 ? 'no limit' : formatUsd(max_exposure_usd)}</small>
      </span>
    ),
  },
  {
    title: 'Created, last used',
    cell: ({ created_at, last_used_at }) => (
      <span>
        <Time at={created_at} />
        <small class="second">{last_used_at ? <Time at={last_used_at} /> : 'never used'}</small>
      </span>
    ),
  },
];
