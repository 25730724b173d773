import type { z } from 'zod';
import type {
  agentKeyResponse,
  ListedAgentKey,
  rotateResponse,
} from '../../../src/api/resources/agent-keys/schemas.ts';
import { withoutNulls } from '../../../src/domain/without-nulls.ts';
import { formatTime } from '../format.ts';
import { callApi } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { DeactivateForm } from './deactivate-form.tsx';
import { isEveryScope, KeyLimitFields, keyLimitsOf, ScopeFields, scopesOf } from './key-limits.tsx';
import type { NewSecret } from './secret-dialog.tsx';

export const KEYS_PATH = '/api/admin/agent-keys';

interface DialogProps {
  close: () => void;
}
interface ChangeProps extends DialogProps {
  agentKey: ListedAgentKey;
  onChanged: () => Promise<void>;
}
interface SecretProps extends DialogProps {
  onSecret: (secret: NewSecret) => Promise<void>;
}

export const CreateKey = ({ close, onSecret }: SecretProps) => (
  <Dialog title="Create an agent key" close={close}>
    <Form
      submit="Create the key"
      send={async ({ name, integrator_name, ...limits }) => {
        const body = withoutNulls({
          ...(name && { name }),
          ...(integrator_name && { integrator_name }),
          ...keyLimitsOf(limits),
          scopes: scopesOf(limits),
        });
        const made = await callApi<z.output<typeof agentKeyResponse>>('POST', KEYS_PATH, { body });
        const { id, api_key: text, webhook_secret: webhookSecret, warning } = made;
        await onSecret({ title: secretOf(id), text, webhookSecret, warning, more: null });
        return 'empty';
      }}
    >
      <Field label="Name" name="name" required maxLength={200} hint="For this list only." />
      <Field
        label="Integrator"
        name="integrator_name"
        maxLength={200}
        hint="The company that uses the key."
      />
      <KeyLimitFields />
      <ScopeFields scopes={null} />
    </Form>
  </Dialog>
);

const secretOf = (id: number) => `The secret of key ${id}`;

/** How long the old secret of a rotated key may stay valid. */
export const OVERLAPS = [
  ['24h', 'a day'],
  ['1h', 'an hour'],
  ['7d', 'a week'],
  ['0s', 'no time, because it has leaked'],
] as const;

export const RotateKey = ({
  agentKey: { id },
  close,
  onSecret,
}: SecretProps & { agentKey: ListedAgentKey }) => (
  <Dialog title={`Rotate key ${id}`} close={close}>
    <p>The key gets a new secret. It keeps its id, its orders and its limits.</p>
    <Form
      submit="Rotate the key"
      send={async ({ overlap }) => {
        const path = `${KEYS_PATH}/${id}/rotate`;
        const rotated = await callApi<z.output<typeof rotateResponse>>('POST', path, { body: { overlap } });
        const more = `The old secret expires ${formatTime(rotated.old_key_expires_at)}.`;
        await onSecret({ title: secretOf(id), text: rotated.api_key, warning: rotated.warning, more });
        return 'empty';
      }}
    >
      <Choice label="The old secret stays valid for" name="overlap" options={OVERLAPS} />
    </Form>
  </Dialog>
);

export const EditKey = ({ agentKey: key, close, onChanged }: ChangeProps) => (
  <Dialog title={`Change key ${key.id}`} close={close}>
    <Form
      submit="Save"
      send={async ({ name, integrator_name, rate_limit, max_exposure_usd, ...limits }) => {
        // Only what was changed here: somebody may have changed the rest since the dialog opened.
        const given = {
          ...{ name: name || key.name, integrator_name: integrator_name || key.integrator_name },
          rate_limit: rate_limit ? Number(rate_limit) : null,
          max_exposure_usd: Number(max_exposure_usd),
          // All boxes: the key has all scopes, whether it lists them or not.
          scopes: scopesOf(limits) ?? (isEveryScope(key.scopes) ? key.scopes : null),
        };
        const body = { ...changesOf(key, given), ...keyLimitsOf(limits, key) };
        await callApi('POST', `${KEYS_PATH}/${key.id}`, { body });
        toast({ tone: 'good', text: `Key ${key.id} is updated.` });
        await onChanged();
        return 'keep';
      }}
    >
      <Field label="Name" name="name" maxLength={200} defaultValue={key.name ?? ''} />
      <Field
        label="Integrator"
        name="integrator_name"
        maxLength={200}
        defaultValue={key.integrator_name ?? ''}
      />
      <Field
        label="Requests per minute"
        name="rate_limit"
        type="number"
        min={1}
        defaultValue={key.rate_limit ?? ''}
        hint="Empty: the default of the installation."
      />
      <Field
        label="Unsettled USD limit"
        name="max_exposure_usd"
        type="number"
        required
        min={0}
        step="any"
        defaultValue={key.max_exposure_usd}
        hint="0: no limit."
      />
      <KeyLimitFields limits={key} />
      <ScopeFields scopes={key.scopes} />
    </Form>
  </Dialog>
);

/** The fields of `given` that differ from those of the key. The scopes of a form have the order of its boxes. */
function changesOf(key: ListedAgentKey, given: Partial<ListedAgentKey>): Partial<ListedAgentKey> {
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => text(value) !== text(key[name as keyof ListedAgentKey])),
  );
}

export const DeactivateKey = ({ agentKey: { id, name }, close, onChanged }: ChangeProps) => (
  <Dialog title={`Deactivate key ${id}`} close={close}>
    <p>
      From now on the service refuses {name ? `“${name}”` : 'this key'}, with its old secret too. Its orders
      that no LP has claimed are cancelled; an LP that may have sent fiat keeps its order. This cannot be
      undone.
    </p>
    <DeactivateForm path={`${KEYS_PATH}/${id}`} name={`Key ${id}`} onChanged={onChanged} />
  </Dialog>
);
