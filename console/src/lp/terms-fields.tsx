import { useSignal } from '@preact/signals';
import { Choice, Field, type FormValues } from '../ui/form.tsx';
import type { ExplainedTerms } from './shapes.ts';

const KINDS = [
  ['rate_usd', 'A fixed rate'],
  ['offset_bps', 'An offset from the price source'],
] as const;

/** In seconds. The service refuses a longer validity than its maximum. */
const VALIDITIES = [
  ['', 'The service’s default'],
  ['900', '15 minutes'],
  ['3600', '1 hour'],
  ['14400', '4 hours'],
  ['43200', '12 hours'],
  ['86400', '24 hours'],
] as const;

/** The attributes of a field for an amount. */
export const amountField = { type: 'number', min: '0', step: 'any', inputMode: 'decimal' } as const;

/** The amount in a field; null if the field is empty. */
export const readAmount = (text: string): number | null => (text === '' ? null : Number(text));

/** The fields of a rate: fixed or an offset, and how long it is valid. `terms`: the present ones. */
export function RateFields({ terms }: { terms?: ExplainedTerms }) {
  const isOffset = typeof terms?.offset_bps === 'number';
  const kind = useSignal<string>(isOffset ? 'offset_bps' : 'rate_usd');
  return (
    <>
      <Choice
        label="Rate"
        name="kind"
        options={KINDS}
        value={kind.value}
        onChange={(chosen) => {
          kind.value = chosen;
        }}
      />
      {kind.value === 'rate_usd' ? (
        <Field
          key="rate_usd"
          {...amountField}
          label="Units for one US dollar"
          name="rate_usd"
          required
          defaultValue={isOffset ? '' : (terms?.rate_usd ?? '')}
        />
      ) : (
        <Field
          key="offset_bps"
          label="Basis points above the price source"
          name="offset_bps"
          required
          type="number"
          min="-1000"
          max="1000"
          step="1"
          defaultValue={terms?.offset_bps ?? ''}
          hint="100 is 1 % more units for a dollar, -100 is 1 % fewer. Your rate follows the source until it expires."
        />
      )}
      <Choice label="Valid for" name="valid_for" options={VALIDITIES} />
    </>
  );
}

/** The rate that the fields hold, as the API takes it. */
export const rateOf = ({ kind, rate_usd, offset_bps, valid_for }: FormValues) => ({
  ...(kind === 'offset_bps' ? { offset_bps: Number(offset_bps) } : { rate_usd: Number(rate_usd) }),
  ...(valid_for ? { valid_for: Number(valid_for) } : {}),
});

const label = (name: string, currency: string) => (currency ? `${name}, in ${currency}` : name);

/** The smallest and largest order, and the float that alerts the LP. `currency` may be empty. */
export const LimitFields = ({ currency, terms }: { currency: string; terms?: ExplainedTerms }) => (
  <>
    <Field
      {...amountField}
      label={label('Smallest order', currency)}
      name="min"
      defaultValue={terms?.min || ''}
      hint="Empty: you set no minimum."
    />
    <Field
      {...amountField}
      label={label('Largest order', currency)}
      name="max"
      defaultValue={terms?.max ?? ''}
      hint="Empty: you set no maximum."
    />
    <Field
      {...amountField}
      label={label('Low-float alert', currency)}
      name="float_low"
      defaultValue={terms?.float_low ?? ''}
      hint="A webhook reports when your float falls below this. Empty: no alert."
    />
  </>
);

/** The float of a corridor that has none yet. */
export const FloatField = ({ currency }: { currency: string }) => (
  <Field
    {...amountField}
    label={label('Float', currency)}
    name="float"
    hint="The fiat that you can send for new orders. Each claim reduces it by the order’s amount. Empty: Corridor does not count it."
  />
);
