import type { z } from 'zod';
import type { agentKeyResponse, ListedAgentKey, rotateResponse } from '../../../src/contract/admin.ts';
import { time } from '../format.ts';
import { ask } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import type { NewSecret } from './secret.tsx';

export const KEYS_PATH = '/api/admin/agent-keys';

interface Closed {
  close: () => void;
}
interface Changed extends Closed {
  of: ListedAgentKey;
  changed: () => Promise<void>;
}
interface Made extends Closed {
  made: (secret: NewSecret) => Promise<void>;
}

export const CreateKey = ({ close, made }: Made) => (
  <Dialog title="Create an agent key" close={close}>
    <Form
      submit="Create the key"
      send={async ({ name, integrator_name }) => {
        const body = { ...(name && { name }), ...(integrator_name && { integrator_name }) };
        const { id, api_key, warning } = await ask<z.output<typeof agentKeyResponse>>('POST', KEYS_PATH, {
          body,
        });
        await made({ id, text: api_key, warning, more: null });
        return 'empty';
      }}
    >
      <Field label="Name" name="name" required maxLength={200} hint="What to call it." />
      <Field label="Integrator" name="integrator_name" maxLength={200} hint="Whose it is." />
    </Form>
  </Dialog>
);

const OVERLAPS = [
  ['24h', 'a day'],
  ['1h', 'an hour'],
  ['7d', 'a week'],
  ['0s', 'not at all: it has leaked'],
] as const;

export const RotateKey = ({ of: { id }, close, made }: Made & { of: ListedAgentKey }) => (
  <Dialog title={`Rotate key ${id}`} close={close}>
    <p>It gets a new secret and keeps its id, its orders and its limits.</p>
    <Form
      submit="Rotate the key"
      send={async ({ overlap }) => {
        const path = `${KEYS_PATH}/${id}/rotate`;
        const rotated = await ask<z.output<typeof rotateResponse>>('POST', path, { body: { overlap } });
        const more = `The old secret ends ${time(rotated.old_key_expires_at)}.`;
        await made({ id, text: rotated.api_key, warning: rotated.warning, more });
        return 'empty';
      }}
    >
      <Choice label="The old secret goes on for" name="overlap" options={OVERLAPS} />
    </Form>
  </Dialog>
);

export const EditKey = ({ of: key, close, changed }: Changed) => (
  <Dialog title={`Change key ${key.id}`} close={close}>
    <Form
      submit="Save"
      send={async ({ name, integrator_name, rate_limit, max_exposure_usd }) => {
        const body = {
          ...(name && { name }),
          ...(integrator_name && { integrator_name }),
          rate_limit: rate_limit ? Number(rate_limit) : null,
          max_exposure_usd: max_exposure_usd ? Number(max_exposure_usd) : null,
        };
        await ask('POST', `${KEYS_PATH}/${key.id}`, { body });
        toast({ tone: 'good', text: `Key ${key.id} is changed.` });
        await changed();
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
        label="Requests a minute"
        name="rate_limit"
        type="number"
        min={1}
        defaultValue={key.rate_limit ?? ''}
        hint="Empty: no limit of its own."
      />
      <Field
        label="Unsettled USD at most"
        name="max_exposure_usd"
        type="number"
        min={0}
        step="any"
        defaultValue={key.max_exposure_usd ?? ''}
        hint="Empty: no limit. Nought: it may finish its orders and begin no other."
      />
    </Form>
  </Dialog>
);

export const DeactivateKey = ({ of: { id, name }, close, changed }: Changed) => (
  <Dialog title={`Deactivate key ${id}`} close={close}>
    <p>
      {name ? `“${name}”` : 'Its agent'} is refused from now on, with an old secret as well. This cannot be
      undone. Its orders go on.
    </p>
    <Form
      submit="Deactivate it for good"
      tone="danger"
      send={async () => {
        await ask('DELETE', `${KEYS_PATH}/${id}`);
        toast({ tone: 'good', text: `Key ${id} is deactivated.` });
        await changed();
        return 'keep';
      }}
    />
  </Dialog>
);
