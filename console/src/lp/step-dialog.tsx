import type { ComponentChildren } from 'preact';
import { formatMoney, formatUsd } from '../format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import type { Desk } from './desk.ts';
import type { OwnOrder } from './shapes.ts';
import { dispute, disputeLoss, release, reportFiatSent } from './steps.ts';

/** A step that the LP cannot undo. It confirms the step after it has read what it means. */
export interface LastingStep {
  title: string;
  effect: (order: OwnOrder, desk: Desk) => ComponentChildren;
  asksReason: boolean;
  tone: 'primary' | 'danger';
  run: (desk: Desk, order: OwnOrder, reason: string) => Promise<void>;
}

const collateralOf = ({ collateral_locked }: OwnOrder) => formatUsd(collateral_locked ?? 0);

export const FIAT_SENT: LastingStep = {
  title: 'Fiat sent',
  effect: (order) => (
    <>
      <p>
        You have sent <strong>{formatMoney(order.amount_fiat, order.currency)}</strong> to{' '}
        <strong>{order.recipient ?? 'the recipient'}</strong>
        {order.recipient_name && ` (${order.recipient_name})`}.
      </p>
      <p>
        You can no longer release the order. If the money does not arrive, an admin can take up to{' '}
        {collateralOf(order)} of your collateral.
      </p>
    </>
  ),
  asksReason: false,
  tone: 'primary',
  run: (desk, order) => reportFiatSent(desk, order),
};

export const RELEASE: LastingStep = {
  title: 'Release',
  effect: (order, desk) => {
    const left = desk.dashboard.data.value?.lp.free_releases_left ?? 0;
    return (
      <>
        <p>
          Other LPs can claim the order, and you cannot claim it again. {collateralOf(order)} of your
          collateral is unlocked.
        </p>
        <p>
          {left > 0
            ? `A release soon after the claim is free, and you have ${left} free ${left === 1 ? 'release' : 'releases'} left today. A later release adds a strike.`
            : 'You have no free releases left today, so this adds a strike.'}
        </p>
      </>
    );
  },
  asksReason: true,
  tone: 'danger',
  run: release,
};

export const DISPUTE: LastingStep = {
  title: 'Dispute',
  effect: (order) => (
    <p>
      An admin decides who is right. Until then the order has no deadline, and {collateralOf(order)} of your
      collateral stays locked. Upload the receipt first: it is your evidence.
    </p>
  ),
  asksReason: true,
  tone: 'danger',
  run: dispute,
};

export const DISPUTE_LOSS: LastingStep = {
  title: 'Dispute the loss',
  effect: () => (
    <p>
      The order stops until an admin has looked at your receipt and asked the agent. You can do this once for
      an order. If you had not paid, it adds a strike.
    </p>
  ),
  asksReason: true,
  tone: 'danger',
  run: disputeLoss,
};

export function StepDialog({
  desk,
  order,
  step: { title, effect, asksReason, tone, run },
  close,
}: {
  desk: Desk;
  order: OwnOrder;
  step: LastingStep;
  close: () => void;
}) {
  const send = async ({ reason = '' }) => {
    close();
    // The page shows the step immediately, and a refusal in a message.
    void run(desk, order, reason);
    return 'empty' as const;
  };
  return (
    <Dialog title={`${title}, order ${order.id}`} close={close}>
      {effect(order, desk)}
      <Form submit={title} tone={tone} send={send}>
        {asksReason && (
          <Field
            label="Reason"
            name="reason"
            maxLength={300}
            hint="The agent reads it on the timeline, so write no personal data."
          />
        )}
      </Form>
    </Dialog>
  );
}
