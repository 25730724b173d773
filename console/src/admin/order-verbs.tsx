import type { ComponentChildren } from 'preact';
import type { AdminOrder } from '../../../src/api/resources/admin-orders/schemas.ts';
import { frozenBefore } from '../../../src/domain/frozen-before.ts';
import { UNSETTLED_STATUSES } from '../../../src/domain/order-state.ts';
import { linkTo } from '../route.ts';
import { callApi, isPermitted } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, type FormValues } from '../ui/form.tsx';
import { NotPermitted } from '../ui/permitted.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDialog } from '../ui/use-dialog.ts';
import type { OrderShown } from './order-resource.ts';

/** An admin's command on an order. Each needs a reason, which the timeline shows. */
interface Verb {
  path: string;
  title: string;
  /** The dialog's title, if `title` and the order do not make a sentence. */
  heading?: (id: number) => string;
  /** The effect, shown before the admin confirms. */
  effect: string;
  successText: (id: number) => string;
  /** What to say instead if the command has changed nothing; null: it has. `sent`: its reason. */
  unchangedText?: (order: AdminOrder, sent: string) => string | null;
  tone?: 'danger';
  /** Whether the command makes sense in the order's state. The service can still refuse it. */
  isOffered: (order: OrderShown) => boolean;
  fields?: ComponentChildren;
  body?: (values: FormValues) => object;
}

const VERBS: Verb[] = [
  {
    path: 'extend',
    title: 'Extend',
    effect: 'The order gets a later deadline.',
    successText: (id) => `Order ${id} has a later deadline.`,
    isOffered: ({ timeout_at }) => timeout_at !== null,
    fields: <Field label="New deadline, in your time" name="until" type="datetime-local" required />,
    body: ({ until = '' }) => ({ until: new Date(until).toISOString() }),
  },
  {
    path: 'freeze',
    title: 'Freeze',
    effect: 'The order and its deadline stop. Nobody can change the order until an admin unfreezes it.',
    successText: (id) => `Order ${id} is frozen.`,
    unchangedText: ({ status_reason }, sent) => frozenBefore(sent, status_reason),
    isOffered: ({ frozen, timeout_at }) => !frozen && timeout_at !== null,
  },
  {
    path: 'unfreeze',
    title: 'Unfreeze',
    effect: 'The order continues, with the time that it had left.',
    successText: (id) => `Order ${id} continues.`,
    isOffered: ({ frozen }) => frozen,
  },
  {
    path: 'unfreeze',
    title: 'Reject evidence',
    heading: (id) => `Reject the evidence for order ${id}`,
    effect:
      'The LP that has frozen the order had not paid: it gets a strike. The order continues, with the time that it had left.',
    successText: (id) => `Order ${id} continues, and the LP has got a strike.`,
    tone: 'danger',
    isOffered: ({ contested_by }) => contested_by !== null,
    body: () => ({ false_evidence: true }),
  },
  {
    path: 'retry-verification',
    title: 'Verify again',
    effect: 'The service looks for the transaction on its chain immediately.',
    successText: (id) => `Order ${id} is being verified.`,
    isOffered: ({ status, frozen }) =>
      !frozen && (status === 'crypto_verify_pending' || status === 'disputed'),
    fields: (
      <Field label="Another transaction" name="tx_hash" hint="If the order has the wrong transaction." />
    ),
    body: ({ tx_hash }) => (tx_hash ? { tx_hash } : {}),
  },
  {
    path: 'cancel',
    title: 'Cancel',
    effect: 'The order ends. No LP has claimed it, so no money has moved. This cannot be undone.',
    successText: (id) => `Order ${id} is cancelled.`,
    tone: 'danger',
    isOffered: ({ status, frozen }) => !frozen && status === 'matched',
  },
];

/** The buttons for the commands that make sense in the order's state. */
export function OrderVerbs({ order, reload }: { order: OrderShown; reload: () => Promise<void> }) {
  const { current, opener, close } = useDialog<Verb>();
  const offered = isPermitted('orders:operate') ? VERBS.filter(({ isOffered }) => isOffered(order)) : [];
  const send = async (verb: Verb, { reason, ...values }: FormValues) => {
    const body = { reason, ...verb.body?.(values) };
    const path = `/api/admin/orders/${order.id}/${verb.path}`;
    const moved = await callApi<AdminOrder>('POST', path, { body });
    close();
    const unchanged = verb.unchangedText?.(moved, reason ?? '');
    toast({ tone: unchanged ? 'bad' : 'good', text: unchanged ?? verb.successText(order.id) });
    await reload();
    return 'empty' as const;
  };
  const isResolvable = order.status === 'disputed' && isPermitted('orders:resolve');
  if (!hasEnded(order) && !isPermitted('orders:operate') && !isResolvable)
    return <NotPermitted permission="orders:operate" />;
  if (offered.length === 0 && !isResolvable) return null;
  return (
    <>
      <div class="row sheet">
        {isResolvable && (
          <a class="button primary" href={linkTo(`disputes/${order.id}`)}>
            Resolve the dispute
          </a>
        )}
        {offered.map((verb) => (
          <button key={verb.title} type="button" class={verb.tone} onClick={opener(verb)}>
            {verb.title}
          </button>
        ))}
        {order.frozen && (
          <small>
            The order is frozen: only Unfreeze moves it. To freeze it again would change nothing, not even its
            reason.
          </small>
        )}
        {isOwned(order) && <small>An LP has collateral locked for this order.</small>}
      </div>
      {current && <VerbDialog verb={current} order={order} close={close} send={send} key={current.title} />}
    </>
  );
}

const VerbDialog = ({
  verb,
  order,
  close,
  send,
}: {
  verb: Verb;
  order: OrderShown;
  close: () => void;
  send: (verb: Verb, values: FormValues) => Promise<'empty' | 'keep'>;
}) => (
  <Dialog title={verb.heading?.(order.id) ?? `${verb.title} order ${order.id}`} close={close}>
    <p>{verb.effect}</p>
    <Form submit={verb.title} tone={verb.tone ?? 'primary'} send={(values) => send(verb, values)}>
      {verb.fields}
      <Reason />
    </Form>
  </Dialog>
);

export const Reason = () => (
  <Field
    label="Reason"
    name="reason"
    required
    maxLength={300}
    hint="The agent reads it on the order’s timeline, so write no personal data and no keys."
  />
);

const hasEnded = ({ status }: OrderShown) => status === 'completed' || status === 'cancelled';
const isOwned = ({ status }: OrderShown) => UNSETTLED_STATUSES.some((unsettled) => unsettled === status);
