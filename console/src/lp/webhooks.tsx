import { useSignal } from '@preact/signals';
import { LP_WEBHOOK_EVENTS } from '../../../src/domain/lp-webhook.ts';
import { callApi, lpPath } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, type FormValues } from '../ui/form.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import type { Dashboard, NewLpWebhook } from './shapes.ts';

const EVENT_LABELS: Record<(typeof LP_WEBHOOK_EVENTS)[number], string> = {
  'order.open': 'New offers',
  'order.updated': 'Changes to your orders',
  'order.closed': 'Offers that end',
  'lp.strike': 'Strikes',
  'lp.rate_expired': 'Rates that expire',
  'lp.float_low': 'Low floats',
  'lp.address_changed': 'Changes of your receive addresses',
  'lp.webhook_changed': 'Changes of your webhooks, to the previous URL',
  'lp.withdrawal_requested': 'Requests for withdrawals of your collateral',
};

/** The URL of the LP's webhooks, and whether they arrive. */
export function Webhooks({ desk, webhook }: { desk: Desk; webhook: Dashboard['lp']['webhook'] }) {
  const secret = useSignal<string | null>(null);
  const path = lpPath('/webhook');
  const save = async ({ url, ...ticked }: FormValues) => {
    const events = LP_WEBHOOK_EVENTS.filter((event) => event in ticked);
    const answer = await callApi<NewLpWebhook>('POST', path, { body: { url, events } });
    secret.value = answer.secret;
    await desk.dashboard.reload();
    return 'keep' as const;
  };
  const turnOff = async () => {
    await callApi('DELETE', path);
    toast({ tone: 'good', text: 'Webhooks are off.' });
    await desk.dashboard.reload();
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Webhooks">
      <h2>Webhooks</h2>
      <Trouble webhook={webhook} />
      <Form submit="Save and make a new secret" send={save}>
        <Field
          label="Webhook URL"
          name="url"
          type="url"
          required
          maxLength={2048}
          defaultValue={webhook.url ?? ''}
          autocomplete="off"
          {...(webhook.state === 'off' ? {} : { hint: 'Your previous secret stays valid for a day.' })}
        />
        <fieldset>
          <legend>Report</legend>
          {LP_WEBHOOK_EVENTS.map((event) => (
            <Field
              key={event}
              label={EVENT_LABELS[event]}
              name={event}
              type="checkbox"
              defaultChecked={webhook.state === 'off' || webhook.events.includes(event)}
            />
          ))}
        </fieldset>
      </Form>
      {webhook.state !== 'off' && <Form submit="Turn webhooks off" send={turnOff} tone="danger" />}
      {secret.value !== null && (
        <Dialog
          title="The secret of your webhooks"
          close={() => {
            secret.value = null;
          }}
        >
          <p>
            <code class="secret">{secret.value}</code>
          </p>
          <p>Store it now: it is not shown again.</p>
        </Dialog>
      )}
    </section>
  );
}

function Trouble({ webhook }: { webhook: Dashboard['lp']['webhook'] }) {
  const { state, failing_since, last_error } = webhook;
  if (state === 'stopped')
    return (
      <p class="notice">
        Your receiver failed for too long, so you get no webhooks: {last_error}. Save the URL to turn them on
        again.
      </p>
    );
  if (failing_since !== null)
    return (
      <p class="notice">
        Your receiver has accepted nothing since <Time at={failing_since} />: {last_error}.
      </p>
    );
  return <p>{state === 'on' ? 'Webhooks are on.' : 'Webhooks are off.'}</p>;
}
