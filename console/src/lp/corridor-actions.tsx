import { useSignal } from '@preact/signals';
import { ApiError } from '../api.ts';
import { now } from '../clock.ts';
import { formatMoney } from '../format.ts';
import { isDoubleClick } from '../ui/action.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Form, type FormValues } from '../ui/form.tsx';
import type { ExplainedTerms } from './shapes.ts';
import { publishTerms, setQuoting, type TermsDesk } from './terms-desk.ts';
import { amountField, LimitFields, RateFields, rateOf, readAmount } from './terms-fields.tsx';
import { describeCorridor, remedyFor } from './terms-words.ts';

interface TermsProps {
  desk: TermsDesk;
  terms: ExplainedTerms;
}

const DIALOGS = { rate: RateDialog, float: FloatDialog, limits: LimitsDialog };

/** The buttons below the terms of a corridor. Each changes one thing. */
export function CorridorActions({ desk, terms }: TermsProps) {
  const open = useSignal<keyof typeof DIALOGS | null>(null);
  const labelFor = (verb: string) => `${verb}, ${describeCorridor(terms)}`;
  const remedy = remedyFor(terms, now.value);
  const opener = (name: keyof typeof DIALOGS, text: string) => (
    <button
      type="button"
      class={name === remedy ? 'primary' : undefined}
      aria-label={labelFor(text)}
      onClick={() => {
        open.value = name;
      }}
    >
      {text}…
    </button>
  );
  const toggle = terms.quoting ? 'Stop quoting' : 'Resume quoting';
  const OpenDialog = open.value && DIALOGS[open.value];
  return (
    <div class="row actions">
      {opener('rate', 'Renew the rate')}
      {opener('float', 'Set the float')}
      {opener('limits', 'Limits')}
      <button
        type="button"
        aria-label={labelFor(toggle)}
        onClick={(event) => {
          if (!isDoubleClick(event)) void setQuoting(desk, terms, !terms.quoting);
        }}
      >
        {toggle}
      </button>
      {OpenDialog && (
        <OpenDialog
          desk={desk}
          terms={terms}
          close={() => {
            open.value = null;
          }}
        />
      )}
    </div>
  );
}

interface DialogProps extends TermsProps {
  close: () => void;
}

/** The rate is entered again, because the old one may no longer be right. */
function RateDialog({ desk, terms, close }: DialogProps) {
  const { currency, method } = terms;
  const send = async (values: FormValues) => {
    const done = `Your rate for ${describeCorridor(terms)} is published.`;
    await publishTerms(desk, { currency, method, ...rateOf(values) }, done);
    close();
    return 'keep' as const;
  };
  return (
    <Dialog title={`Rate for ${describeCorridor(terms)}`} close={close}>
      <Form submit="Publish the rate" send={send}>
        <RateFields terms={terms} />
      </Form>
    </Dialog>
  );
}

/**
 * The service compares the float that the LP saw with the current float. If a claim has changed it, the LP sees the new
 * float and decides again.
 */
function FloatDialog({ desk, terms, close }: DialogProps) {
  const { currency, method } = terms;
  const seen = useSignal({ float: terms.float, reserved: terms.float_reserved });
  const send = async ({ float = '' }: FormValues) => {
    const change = { currency, method, float: readAmount(float), expected_float: seen.value.float };
    try {
      await publishTerms(desk, change, `Your float for ${describeCorridor(terms)} is set.`);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'float_changed') await showNewFloat();
      throw error;
    }
    close();
    return 'keep' as const;
  };
  const showNewFloat = async () => {
    const all = await desk.reload();
    const found = all.find((one) => one.currency === currency && one.method === method);
    if (found) seen.value = { float: found.float, reserved: found.float_reserved };
  };
  const { float, reserved } = seen.value;
  return (
    <Dialog title={`Float for ${describeCorridor(terms)}`} close={close}>
      <p>
        {float === null
          ? 'Corridor does not count your float here.'
          : `Now ${formatMoney(float, currency)} for new orders, and ${formatMoney(reserved, currency)} reserved for orders that you have claimed.`}
      </p>
      <Form submit="Set the float" send={send}>
        <Field
          {...amountField}
          label={`Float for new orders, in ${currency}`}
          name="float"
          defaultValue={terms.float ?? ''}
          hint="The fiat that you can send for new orders, without the reserved fiat. Empty: Corridor does not count it, and offers you orders of any amount within your limits."
        />
      </Form>
    </Dialog>
  );
}

/** The form contains all limits, so an empty field clears one. */
function LimitsDialog({ desk, terms, close }: DialogProps) {
  const { currency, method } = terms;
  const send = async ({ min = '', max = '', float_low = '' }: FormValues) => {
    const limits = { min: readAmount(min), max: readAmount(max), float_low: readAmount(float_low) };
    const done = `Your limits for ${describeCorridor(terms)} are saved.`;
    await publishTerms(desk, { currency, method, ...limits }, done);
    close();
    return 'keep' as const;
  };
  return (
    <Dialog title={`Limits for ${describeCorridor(terms)}`} close={close}>
      <Form submit="Save the limits" send={send}>
        <LimitFields currency={currency} terms={terms} />
      </Form>
    </Dialog>
  );
}
