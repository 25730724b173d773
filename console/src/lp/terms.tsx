import { CHAINS, STABLECOINS } from '../../../src/domain/assets.ts';
import { count, time } from '../format.ts';
import { ask, lpPath } from '../session.ts';
import { Choice, Field, Form, type Written } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** On what terms the LP trades: its rates, where it is paid, and what is claimed for it. */
export const Terms = withDesk(({ desk, dashboard }: DeskProps) => (
  <div class="columns">
    <Rates desk={desk} rates={dashboard.rates} />
    <Assets desk={desk} assets={dashboard.assets} />
    <AutoClaim desk={desk} config={dashboard.lp.auto_claim} />
  </div>
));

async function post(desk: Desk, path: string, body: object, done: string): Promise<void> {
  await ask('POST', lpPath(desk.key, path), { body });
  toast({ tone: 'good', text: done });
  await desk.dashboard.reload();
}

function Rates({ desk, rates }: { desk: Desk; rates: Dashboard['rates'] }) {
  const publish = async ({ currency = '', rate_usd }: Written) => {
    const body = { currency, rate_usd: Number(rate_usd) };
    await post(desk, '/rates', body, `Your rate for ${currency.toUpperCase()} is published.`);
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Rates">
      <Table
        caption="Your rates"
        columns={[
          { title: 'Currency', cell: ({ currency }) => currency },
          { title: 'For one US dollar', kind: 'number', cell: ({ rate_usd }) => count(rate_usd) },
          { title: 'Since', kind: 'number', cell: ({ updated_at }) => time(updated_at) },
        ]}
        rows={rates}
        keyOf={({ currency }) => currency}
        empty="You have published no rate: you are quoted in no currency."
      />
      <Form submit="Publish rate" send={publish}>
        <Field
          label="Currency"
          name="currency"
          required
          pattern="[A-Za-z]{3}"
          maxLength={3}
          placeholder="KES"
          title="Three letters, such as KES"
        />
        <Field
          label="Units for one US dollar"
          name="rate_usd"
          required
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          hint="Takes the place of the one before, for new orders."
        />
      </Form>
    </section>
  );
}

const chainOptions = CHAINS.map((chain) => [chain, chain] as const);

function Assets({ desk, assets }: { desk: Desk; assets: Dashboard['assets'] }) {
  const register = async ({ symbol = '', chain, address }: Written) => {
    const done = `In ${symbol} on ${chain} you are paid at ${address}.`;
    await post(desk, '/assets', { symbol, chain, address }, done);
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Receive addresses">
      <Table
        caption="Where you are paid"
        columns={[
          { title: 'Token', cell: ({ symbol, chain }) => `${symbol} on ${chain}` },
          { title: 'Address', cell: ({ address }) => <code>{address}</code> },
        ]}
        rows={assets}
        keyOf={({ symbol, chain }) => `${symbol} ${chain}`}
        empty="You have registered no address: you can claim no order."
      />
      <Form submit="Register address" send={register}>
        <Field label="Token" name="symbol" required placeholder={STABLECOINS[0]} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <Field label="Address" name="address" required autocomplete="off" spellcheck={false} />
      </Form>
    </section>
  );
}

/** The configuration is replaced as a whole, so the form holds the whole of it. */
function AutoClaim({ desk, config }: { desk: Desk; config: Dashboard['lp']['auto_claim'] }) {
  const save = async ({ enabled, max_amount_usd, currencies = '', min_profit_usd }: Written) => {
    const codes = currencies.split(/[\s,]+/).filter(Boolean);
    const body = {
      enabled: enabled !== undefined,
      max_amount_usd: max_amount_usd ? Number(max_amount_usd) : null,
      currencies: codes.length > 0 ? codes : null,
      min_profit_usd: Number(min_profit_usd || 0),
    };
    const state = body.enabled ? 'on' : 'off';
    await post(desk, '/auto-claim', body, `Claiming by itself is ${state}.`);
    return 'keep' as const;
  };
  return (
    <section class="sheet" aria-label="Claiming by itself">
      <h2>Claiming by itself</h2>
      <Form submit="Save" send={save}>
        <Field label="Claim orders for me" name="enabled" type="checkbox" defaultChecked={config.enabled} />
        <Field
          label="Highest value in USD"
          name="max_amount_usd"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          defaultValue={config.max_amount_usd ?? ''}
          hint="Empty: any."
        />
        <Field
          label="Currencies"
          name="currencies"
          defaultValue={config.currencies?.join(', ') ?? ''}
          hint="With commas. Empty: all that you publish a rate for."
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
