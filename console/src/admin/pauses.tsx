import type { MadePauseView, PauseView } from '../../../src/api/resources/pauses/schemas.ts';
import { pausedText, pauseScope } from '../../../src/domain/pause-scope.ts';
import { callApi } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ifPermitted } from '../ui/permitted.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDialog } from '../ui/use-dialog.ts';

const PATH = '/api/admin/pauses';

/** A button that pauses payments and claims. */
export function PauseButton({ onChanged }: { onChanged: () => Promise<void> }) {
  const { current, opener, close } = useDialog<'pause'>();
  return (
    <>
      <button type="button" onClick={opener('pause')}>
        <Icon name="pause" />
        Pause payments and claims
      </button>
      {current && <PauseDialog close={close} onPaused={onChanged} />}
    </>
  );
}

/** The pauses in force, each with a button that ends it. */
export function Pauses({ pauses, onChanged }: { pauses: PauseView[]; onChanged: () => Promise<void> }) {
  const end = async ({ id }: PauseView) => {
    await callApi('DELETE', `${PATH}/${id}`);
    await onChanged();
  };
  if (pauses.length === 0) return null;
  return (
    <Table
      caption="Paused"
      columns={[
        {
          title: 'Payments and claims of',
          cell: (pause) => <span class="loss">{pauseScope(pause)}</span>,
        },
        { title: 'Why', cell: ({ reason }) => reason },
        { title: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
        ...ifPermitted<PauseView>('pauses:manage', {
          title: 'Actions',
          kind: 'actions',
          cell: (pause) => (
            <Action
              run={() => end(pause)}
              successText={`The pause of ${pauseScope(pause)} is over.`}
              label={`Resume ${pauseScope(pause)}`}
            >
              Resume
            </Action>
          ),
        }),
      ]}
      rows={pauses}
      keyOf={({ id }) => id}
      empty="Nothing is paused."
    />
  );
}

const PauseDialog = ({ close, onPaused }: { close: () => void; onPaused: () => Promise<void> }) => (
  <Dialog title="Pause payments and claims" close={close}>
    <p>New payments and claims stop immediately. Claimed orders continue.</p>
    <Form
      submit="Pause"
      send={async ({ reason, currency, agent }) => {
        const body = { reason, ...(currency && { currency }), ...(agent && { agent_key_id: Number(agent) }) };
        const pause = await callApi<MadePauseView>('POST', PATH, { body });
        toast({ tone: 'good', text: pausedText(pause) });
        close();
        await onPaused();
        return 'empty';
      }}
    >
      <Field
        label="Reason"
        name="reason"
        required
        maxLength={300}
        hint="Agents and LPs read it when their calls are refused."
      />
      <Field label="Currency" name="currency" maxLength={3} placeholder="KES" hint="Empty: all currencies." />
      <Field
        label="Agent key"
        name="agent"
        inputMode="numeric"
        pattern="[1-9][0-9]*"
        hint="Its number. Empty: all agents."
      />
    </Form>
  </Dialog>
);
