import type { z } from 'zod';
import type { adminList, ListedAdmin } from '../../../src/api/resources/admins/schemas.ts';
import { useList } from '../list-resource.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { ADMINS_PATH, CreateAdmin, DeactivateAdmin, EditAdmin, RotateAdminKey } from './admin-dialogs.tsx';
import { keyState } from './key-state.ts';
import { type NewSecret, SecretDialog } from './secret-dialog.tsx';

type OpenDialog =
  | { name: 'create' }
  | { name: 'edit' | 'rotate' | 'deactivate'; admin: ListedAdmin }
  | { name: 'secret'; secret: NewSecret };

/** The persons who administer the installation. The page shows each key once, when the service creates it. */
export function Admins() {
  const admins = useList<z.output<typeof adminList>>(ADMINS_PATH, {});
  const { current, open, opener, close } = useDialog<OpenDialog>();
  const onChanged = async () => {
    close();
    await admins.reload();
  };
  const onSecret = async (secret: NewSecret) => {
    open({ name: 'secret', secret });
    await admins.reload();
  };
  const actions: Column<ListedAdmin> = {
    title: 'Actions',
    kind: 'actions',
    cell: (admin) =>
      admin.is_active && (
        <span class="row">
          <button type="button" onClick={opener({ name: 'edit', admin })} aria-label={`Change ${admin.name}`}>
            Change
          </button>
          <button
            type="button"
            onClick={opener({ name: 'rotate', admin })}
            aria-label={`Rotate the key of ${admin.name}`}
          >
            Rotate
          </button>
          <button
            type="button"
            class="danger"
            onClick={opener({ name: 'deactivate', admin })}
            aria-label={`Deactivate ${admin.name}`}
          >
            Deactivate
          </button>
        </span>
      ),
  };
  return (
    <>
      <p>
        <button type="button" class="primary" onClick={opener({ name: 'create' })}>
          Add an admin
        </button>
      </p>
      <ResourceView resource={admins} what="the admins">
        {({ admins: all }) => (
          <Table
            caption="Admins, newest first"
            columns={[...COLUMNS, actions]}
            rows={all}
            keyOf={({ id }) => id}
            empty="There are no admins yet. Add an owner, who adds everybody else with a key of their own."
          />
        )}
      </ResourceView>
      {current?.name === 'create' && <CreateAdmin close={close} onSecret={onSecret} />}
      {current?.name === 'rotate' && (
        <RotateAdminKey admin={current.admin} close={close} onSecret={onSecret} />
      )}
      {current?.name === 'edit' && <EditAdmin admin={current.admin} close={close} onChanged={onChanged} />}
      {current?.name === 'deactivate' && (
        <DeactivateAdmin admin={current.admin} close={close} onChanged={onChanged} />
      )}
      {current?.name === 'secret' && <SecretDialog secret={current.secret} close={close} />}
    </>
  );
}

const COLUMNS: Column<ListedAdmin>[] = [
  { title: 'Admin', cell: ({ id }) => id },
  {
    title: 'Name, sign-in',
    cell: ({ id, name, identity_provider }) => (
      <span>
        <a href={linkTo('audit', { actor: `admin:${id}` })} title="Show what this person did">
          {name}
        </a>
        <small class="second address">{identity_provider ?? 'with a key'}</small>
      </span>
    ),
  },
  {
    title: 'Role, allowed addresses',
    cell: ({ role, allowed_ips }) => (
      <span>
        {role}
        <small class="second">{allowed_ips?.join(', ') ?? 'all addresses'}</small>
      </span>
    ),
  },
  {
    title: 'State',
    cell: (admin) => (
      <span>
        <Badge status={keyState(admin)} />
        {admin.is_active && admin.expires_at && (
          <small class="second">
            ends <Time at={admin.expires_at} />
          </small>
        )}
      </span>
    ),
  },
  {
    title: 'Added, last used',
    cell: ({ created_at, last_used_at, last_used_address }) => (
      <span>
        <Time at={created_at} />
        <small class="second">
          {last_used_at ? <Time at={last_used_at} /> : 'never used'}
          {last_used_address && ` from ${last_used_address}`}
        </small>
      </span>
    ),
  },
];
