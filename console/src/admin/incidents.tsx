import type { ClosedIncidentView, IncidentView } from '../../../src/api/resources/incidents/schemas.ts';
import { callApi } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field, Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ifPermitted } from '../ui/permitted.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import { chainOptions, incidentWords } from '../words.ts';
import { actorText } from './audit-words.ts';

const PATH = '/api/admin/incidents';

interface Props {
  incidents: IncidentView[];
  onChanged: () => Promise<void>;
}

/** A button that opens an incident. */
export function IncidentButton({ onChanged }: Pick<Props, 'onChanged'>) {
  const { current, opener, close } = useDialog<'incident'>();
  return (
    <>
      <button type="button" onClick={opener('incident')}>
        <Icon name="incident" />
        Open an incident
      </button>
      {current && <OpenDialog close={close} onChanged={onChanged} />}
    </>
  );
}

/** The open incidents, each with a button that closes it. */
export function Incidents({ incidents, onChanged }: Props) {
  const { current, opener, close } = useDialog<IncidentView>();
  return (
    <>
      {incidents.length > 0 && (
        <Table
          caption="Out of order"
          columns={[
            { title: 'Incident of', cell: (incident) => <span class="loss">{incidentWords(incident)}</span> },
            { title: 'Why', cell: ({ reason }) => reason },
            { title: 'Since', cell: (incident) => <Since {...incident} /> },
            { title: 'By', cell: ({ opened_by }) => actorText(opened_by, null) },
            ...ifPermitted<IncidentView>('pauses:manage', {
              title: 'Actions',
              kind: 'actions',
              cell: (incident) => (
                <button
                  type="button"
                  aria-label={`Close the incident of ${incidentWords(incident)}`}
                  onClick={opener(incident)}
                >
                  Close
                </button>
              ),
            }),
          ]}
          rows={incidents}
          keyOf={({ id }) => id}
          empty="Nothing is out of order."
        />
      )}
      {current && <CloseDialog incident={current} close={close} onChanged={onChanged} />}
    </>
  );
}

/** A closing that has failed in between has let some clocks run. */
const Since = ({ opened_at, closing_at }: IncidentView) => (
  <>
    <Time at={opened_at} />
    {closing_at && (
      <div class="loss">
        Closing since <Time at={closing_at} />: close it again, or open it again.
      </div>
    )}
  </>
);

interface DialogProps {
  close: () => void;
  onChanged: () => Promise<void>;
}

const OpenDialog = ({ close, onChanged }: DialogProps) => (
  <Dialog title="Open an incident" close={close}>
    <p>
      New payments and claims stop immediately. The clocks of the orders that wait for what is out of order
      stand still until you close it. Nobody gets a strike.
    </p>
    <Form
      submit="Open"
      send={async ({ reason, currency, method, chain }) => {
        const body = {
          reason,
          ...(currency && { currency }),
          ...(method && { method }),
          ...(chain && { chain }),
        };
        const incident = await callApi<IncidentView>('POST', PATH, { body });
        toast({ tone: 'good', text: `The incident of ${incidentWords(incident)} is open.` });
        close();
        await onChanged();
        return 'empty';
      }}
    >
      <Field
        label="Reason"
        name="reason"
        required
        maxLength={300}
        hint="Agents and LPs read it when their calls are refused, and in the timelines of their orders."
      />
      <Field label="Currency" name="currency" maxLength={3} placeholder="KES" hint="Or choose a chain." />
      <Field
        label="Method"
        name="method"
        maxLength={32}
        placeholder="mobile_money"
        hint="Empty: all methods of the currency."
      />
      <Choice label="Chain" name="chain" options={[['', 'None'], ...chainOptions]} />
    </Form>
  </Dialog>
);

const CloseDialog = ({ incident, close, onChanged }: DialogProps & { incident: IncidentView }) => (
  <Dialog title={`Close the incident of ${incidentWords(incident)}`} close={close}>
    <p>
      New payments and claims continue, and so do the clocks. Each deadline moves by the time for which its
      clock has stood still.
    </p>
    <Form
      submit="Close it"
      send={async () => {
        const { moved } = await callApi<ClosedIncidentView>('POST', `${PATH}/${incident.id}/close`);
        toast({
          tone: 'good',
          text: `The incident of ${incidentWords(incident)} is over. Deadlines moved: ${moved}.`,
        });
        close();
        await onChanged();
        return 'empty';
      }}
    />
  </Dialog>
);
