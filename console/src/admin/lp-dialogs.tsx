import type { ListedLp } from '../../../src/api/resources/admin-lps/schemas.ts';
import { formatUsd } from '../format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { AuditReason } from './audit-reason.tsx';

/** A change of an LP that an admin confirms in a dialog. */
export type LpVerb = 'suspend' | 'tier' | 'forgive';

export function LpDialog({
  verb,
  lp,
  close,
  change,
}: {
  verb: LpVerb;
  lp: ListedLp;
  close: () => void;
  change: (lp: ListedLp, verb: LpVerb, body?: object) => Promise<void>;
}) {
  const finish = (text: string) => {
    toast({ tone: 'good', text });
    close();
    return 'empty' as const;
  };
  if (verb === 'suspend')
    return (
      <Dialog title={`Suspend LP ${lp.id}`} close={close}>
        <p>
          {lp.display_name} gets no new orders. It can finish the orders that it owns:{' '}
          {formatUsd(lp.collateral_locked)} of its collateral is locked for them, and{' '}
          {formatUsd(lp.collateral_available)} is available.
        </p>
        <Form
          submit="Suspend"
          tone="danger"
          send={async ({ reason }) => {
            await change(lp, 'suspend', { reason });
            return finish(`LP ${lp.id} is suspended. It can still finish its orders.`);
          }}
        >
          <AuditReason />
        </Form>
      </Dialog>
    );
  return verb === 'tier' ? (
    <Dialog title={`Set the tier of LP ${lp.id}`} close={close}>
      <Form
        submit="Set the tier"
        send={async ({ tier }) => {
          await change(lp, 'tier', { tier: Number(tier) });
          return finish(`LP ${lp.id} is now in tier ${tier}.`);
        }}
      >
        <Field
          label="Tier"
          name="tier"
          type="number"
          min={0}
          required
          defaultValue={lp.tier}
          hint="Orders lock less collateral in a higher tier. Applies to new claims."
        />
      </Form>
    </Dialog>
  ) : (
    <Dialog title={`Forgive the strikes of LP ${lp.id}`} close={close}>
      <p>The LP has {lp.strikes}. They no longer count, and its cool-down ends.</p>
      <Form
        submit="Forgive"
        send={async ({ reason }) => {
          await change(lp, 'forgive', { reason });
          return finish(`The strikes of LP ${lp.id} are forgiven.`);
        }}
      >
        <Field label="Reason" name="reason" required maxLength={500} hint="For the audit log." />
      </Form>
    </Dialog>
  );
}
