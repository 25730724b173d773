import { Field, Form, type FormValues, listIn } from '../ui/form.tsx';
import type { Desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';
import { postChange } from './terms-desk.ts';

/** The API replaces the whole configuration, so the form contains all of it. */
export function AutoClaim({ desk, config }: { desk: Desk; config: Dashboard['lp']['auto_claim'] }) {
  const save = async ({ enabled, max_amount_usd, currencies = '', min_profit_usd }: FormValues) => {
    const body = {
      enabled: enabled !== undefined,
      max_amount_usd: max_amount_usd ? Number(max_amount_usd) : null,
      currencies: listIn(currencies),
      min_profit_usd: Number(min_profit_usd || 0),
    };
    const state = body.enabled ? 'on' : 'off';
    await postChange(desk, '/auto-claim', body, `Automatic claims are ${state}.`);
    return 'keep' as const;
  };
  return (
    <section class="sheet" aria-label="Automatic claims">
      <h2>Automatic claims</h2>
      <Form submit="Save" send={save}>
        <Field
          label="Claim orders automatically"
          name="enabled"
          type="checkbox"
          defaultChecked={config.enabled}
        />
        <Field
          label="Highest value in USD"
          name="max_amount_usd"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          defaultValue={config.max_amount_usd ?? ''}
          hint="Empty: no limit."
        />
        <Field
          label="Currencies"
          name="currencies"
          defaultValue={config.currencies?.join(', ') ?? ''}
          hint="Separated by commas. Empty: all currencies for which you have terms."
        />
        <Field
          label="Lowest profit in USD"
          name="min_profit_usd"
          type="number"
          step="any"
          inputMode="decimal"
          defaultValue={config.min_profit_usd}
          hint="May be negative."
        />
      </Form>
    </section>
  );
}
