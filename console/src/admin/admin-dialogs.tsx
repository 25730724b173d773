import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type {
  adminKeyResponse,
  ListedAdmin,
  rotateAdminResponse,
} from '../../../src/api/resources/admins/schemas.ts';
import { mayDo, PERMISSIONS, type Permission, ROLES, type Role } from '../../../src/domain/permissions.ts';
import { withoutNulls } from '../../../src/domain/without-nulls.ts';
import { formatTime } from '../format.ts';
import { callApi, session } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { DeactivateForm } from './deactivate-form.tsx';
import { OVERLAPS } from './key-dialogs.tsx';
import { KeyLimitFields, keyLimitsOf } from './key-limits.tsx';
import type { NewSecret } from './secret-dialog.tsx';

export const ADMINS_PATH = '/api/admin/admins';

interface SecretProps {
  close: () => void;
  onSecret: (secret: NewSecret) => Promise<void>;
}
interface ChangeProps {
  admin: ListedAdmin;
  close: () => void;
  onChanged: () => Promise<void>;
}

const isOwn = ({ id }: ListedAdmin): boolean => session.value?.owner === `admin:${id}`;
const keyOf = (name: string) => `The key of ${name}`;

export const CreateAdmin = ({ close, onSecret }: SecretProps) => (
  <Dialog title="Add an admin" close={close}>
    <Form
      submit="Add the admin"
      send={async ({ name = '', role, ...limits }) => {
        const body = withoutNulls({ name, role, ...keyLimitsOf(limits) });
        const made = await callApi<z.output<typeof adminKeyResponse>>('POST', ADMINS_PATH, { body });
        await onSecret({ title: keyOf(made.name), text: made.api_key, warning: made.warning, more: null });
        return 'empty';
      }}
    >
      <Field label="Name" name="name" required maxLength={200} hint="The audit names this person so." />
      <RoleChoice value="viewer" />
      <KeyLimitFields />
    </Form>
  </Dialog>
);

export const EditAdmin = ({ admin, close, onChanged }: ChangeProps) => (
  <Dialog title={`Change ${admin.name}`} close={close}>
    <p>A new role applies to the next request with the key, and to open sessions.</p>
    <Form
      submit="Save"
      send={async ({ name, role, ...limits }) => {
        // A name or a role in the body is a change, which may need a second admin.
        const body = {
          ...(name !== admin.name && { name }),
          ...(role !== admin.role && { role }),
          ...keyLimitsOf(limits, admin),
        };
        await callApi('POST', `${ADMINS_PATH}/${admin.id}`, { body });
        toast({ tone: 'good', text: `Admin ${admin.id} is updated.` });
        await onChanged();
        return 'keep';
      }}
    >
      <Field label="Name" name="name" required maxLength={200} defaultValue={admin.name} />
      <RoleChoice value={admin.role} />
      <KeyLimitFields limits={admin} />
    </Form>
  </Dialog>
);

export const RotateAdminKey = ({ admin, close, onSecret }: SecretProps & { admin: ListedAdmin }) => (
  <Dialog title={`Rotate the key of ${admin.name}`} close={close}>
    <p>
      {admin.name} gets a new key, and keeps the role. Sessions that the old key has opened end with it.
      {admin.identity_provider && ' This person can sign in at the identity provider without a key.'}
    </p>
    {isOwn(admin) && (
      <p class="notice">
        This is your own key. To end it immediately, use npm run admin -- admins rotate {admin.id} --overlap
        0s: your session would end before you could copy the new key here.
      </p>
    )}
    <Form
      submit="Rotate the key"
      send={async ({ overlap }) => {
        const path = `${ADMINS_PATH}/${admin.id}/rotate`;
        const body = { overlap };
        const rotated = await callApi<z.output<typeof rotateAdminResponse>>('POST', path, { body });
        const { name, api_key: text, warning, old_key_expires_at } = rotated;
        const more = `The old key expires ${formatTime(old_key_expires_at)}.`;
        await onSecret({ title: keyOf(name), text, warning, more });
        return 'empty';
      }}
    >
      <Choice
        label="The old key stays valid for"
        name="overlap"
        options={OVERLAPS.filter(([overlap]) => overlap !== '0s' || !isOwn(admin))}
      />
    </Form>
  </Dialog>
);

export const DeactivateAdmin = ({ admin, close, onChanged }: ChangeProps) => (
  <Dialog title={`Deactivate ${admin.name}`} close={close}>
    <p>
      {admin.name} loses all access with the next request: the key is refused, and open sessions end.
      {admin.identity_provider && ' A sign-in at the identity provider is refused, too.'} What {admin.name}{' '}
      did keeps the name in the audit. This cannot be undone.
    </p>
    {isOwn(admin) && <p class="notice">This is you: the console signs you out immediately.</p>}
    <DeactivateForm path={`${ADMINS_PATH}/${admin.id}`} name={`Admin ${admin.id}`} onChanged={onChanged} />
  </Dialog>
);

const ALL = Object.keys(PERMISSIONS) as Permission[];

/** A choice of the role that shows what the chosen one may do. */
function RoleChoice({ value }: { value: Role }) {
  const role = useSignal<Role>(value);
  return (
    <>
      <Choice
        label="Role"
        name="role"
        value={role.value}
        options={ROLES.map((one) => [one, one] as const)}
        onChange={(chosen) => {
          role.value = chosen as Role;
        }}
      />
      <p role="status">
        <small>
          This role may{' '}
          {ALL.filter((one) => mayDo(role.value, one))
            .map((one) => PERMISSIONS[one])
            .join('; ')}
          .
        </small>
      </p>
    </>
  );
}
