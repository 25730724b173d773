import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { UNSETTLED_STATUSES } from '../../../src/domain/order-state.ts';
import { linkTo } from '../route.ts';
import { ask } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, type Written } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import type { OrderShown } from './order-resource.ts';

/** Something that an admin does to an order; each needs a reason, which stands on its timeline. */
interface Verb {
  path: string;
  title: string;
  /** What happens, for who is about to do it. */
  tells: string;
  /** What is said when it has been done. */
  done: (id: number) => string;
  tone?: 'danger';
  /** Whether there is any sense in it; what is refused all the same is for the service to say. */
  fits: (order: OrderShown) => boolean;
  fields?: ComponentChildren;
  body?: (written: Written) => object;
}

const VERBS: Verb[] = [
  {
    path: 'extend',
    title: 'Extend',
    tells: 'Its deadline moves to a later time.',
    done: (id) => `Order ${id} has a later deadline.`,
    fits: ({ timeout_at }) => timeout_at !== null,
    fields: <Field label="New deadline, in your time" name="until" type="datetime-local" required />,
    body: ({ until = '' }) => ({ until: new Date(until).toISOString() }),
  },
  {
    path: 'freeze',
    title: 'Freeze',
    tells: 'It stops, and so does its clock: nobody moves it until it is unfrozen.',
    done: (id) => `Order ${id} is frozen.`,
    fits: ({ frozen, timeout_at }) => !frozen && timeout_at !== null,
  },
  {
    path: 'unfreeze',
    title: 'Unfreeze',
    tells: 'It goes on, with the time that it had left.',
    done: (id) => `Order ${id} goes on.`,
    fits: ({ frozen }) => frozen,
  },
  {
    path: 'retry-verification',
    title: 'Verify again',
    tells: 'Its transaction is looked for on its chain at once.',
    done: (id) => `Order ${id} is being verified.`,
    fits: ({ status }) => status === 'crypto_verify_pending' || status === 'disputed',
    fields: (
      <Field label="Another transaction" name="tx_hash" hint="Where the order’s own is the wrong one." />
    ),
    body: ({ tx_hash }) => (tx_hash ? { tx_hash } : {}),
  },
  {
    path: 'cancel',
    title: 'Cancel',
    tells: 'It ends, for good. Nobody has claimed it, so that no money has moved.',
    done: (id) => `Order ${id} is cancelled.`,
    tone: 'danger',
    fits: ({ status }) => status === 'matched',
  },
];

/** The buttons for what can be done to an order as it stands. */
export function OrderVerbs({ order, moved }: { order: OrderShown; moved: () => Promise<void> }) {
  const asked = useSignal<Verb | null>(null);
  const fitting = VERBS.filter(({ fits }) => fits(order));
  const close = () => {
    asked.value = null;
  };
  const send = async (verb: Verb, { reason, ...written }: Written) => {
    const body = { reason, ...verb.body?.(written) };
    await ask('POST', `/api/admin/orders/${order.id}/${verb.path}`, { body });
    close();
    toast({ tone: 'good', text: verb.done(order.id) });
    await moved();
    return 'empty' as const;
  };
  if (fitting.length === 0 && order.status !== 'disputed') return null;
  return (
    <>
      <div class="row sheet">
        {order.status === 'disputed' && <a href={linkTo(`disputes/${order.id}`)}>Resolve the dispute</a>}
        {fitting.map((verb) => (
          <button
            key={verb.path}
            type="button"
            class={verb.tone}
            onClick={() => {
              asked.value = verb;
            }}
          >
            {verb.title}
          </button>
        ))}
        {isOwned(order) && <small>An LP’s collateral stands for this order.</small>}
      </div>
      {asked.value && (
        <VerbDialog verb={asked.value} order={order} close={close} send={send} key={asked.value.path} />
      )}
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
  send: (verb: Verb, written: Written) => Promise<'empty' | 'keep'>;
}) => (
  <Dialog title={`${verb.title} order ${order.id}`} close={close}>
    <p>{verb.tells}</p>
    <Form submit={verb.title} tone={verb.tone ?? 'primary'} send={(written) => send(verb, written)}>
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
    hint="It stands on the order’s timeline, for its agent to read. No names, numbers or keys of people."
  />
);

const isOwned = ({ status }: OrderShown) => UNSETTLED_STATUSES.some((one) => one === status);
