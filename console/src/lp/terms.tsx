import { CHAINS, STABLECOINS } from '../../../src/domain/assets.ts';
import { formatCount, formatTime } from '../format.ts';
import { callApi, lpPath } from '../session.ts';
import { Choice, Field, Form, type FormValues } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';
import { Webhooks } from './webhooks.tsx';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's terms: its rates, its receive addresses, its automatic claims and its webhooks. */
export const Terms = withDesk(({ desk, dashboard }: DeskProps) => (
  <div class="columns">
    <Rates desk={desk} rates={dashboard.rates} />
    <Assets desk={desk} assets={dashboard.assets} />
    <AutoClaim desk={desk} config={dashboard.lp.auto_claim} />
    <Webhooks desk={desk} webhook={dashboard.lp.webhook} />
  </div>
));

async function post(desk: Desk, path: string, body: object, successText: string): Promise<void> {
  await callApi('POST', lpPath(desk.key, path), { body });
  toast({ tone: 'good', text: successText });
  await desk.dashboard.reload();
}

function Rates({ desk, rates }: { desk: Desk; rates: Dashboard['rates'] }) {
  const publish = async ({ currency = '', rate_usd }: FormValues) => {
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
          { title: 'For one US dollar', kind: 'number', cell: ({ rate_usd }) => formatCount(rate_usd) },
          { title: 'Payments use it', cell: ({ not_quoted }) => not_quoted ?? 'Yes' },
          { title: 'Since', kind: 'number', cell: ({ updated_at }) => formatTime(updated_at) },
        ]}
        rows={rates}
        keyOf={({ currency }) => currency}
        empty="You have published no rates, so no payment uses you yet."
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
          hint="Replaces your current rate, for new orders."
        />
      </Form>
    </section>
  );
}

const chainOptions = CHAINS.map((chain) => [chain, chain] as const);

function Assets({ desk, assets }: { desk: Desk; assets: Dashboard['assets'] }) {
  const register = async ({ symbol = '', chain, address, tag }: FormValues) => {
    const done = `You receive ${symbol} on ${chain} at ${address}${tag ? ` with tag ${tag}` : ''}.`;
    const destination_tag = tag ? Number(tag) : undefined;
    await post(desk, '/assets', { symbol, chain, address, destination_tag }, done);
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Receive addresses">
      <Table
        caption="Where you receive crypto"
        columns={[
          { title: 'Token', cell: ({ symbol, chain }) => `${symbol} on ${chain}` },
          {
            title: 'Address',
            cell: ({ address, destination_tag: tag }) => (
              <code>{tag === null ? address : `${address} with tag ${tag}`}</code>
            ),
          },
        ]}
        rows={assets}
        keyOf={({ symbol, chain }) => `${symbol} ${chain}`}
        empty="You have registered no addresses, so you cannot claim orders."
      />
      <Form submit="Register address" send={register}>
        <Field label="Token" name="symbol" required placeholder={STABLECOINS[0]} />
        <Choice label="Chain" name="chain" options={chainOptions} />
        <Field label="Address" name="address" required autocomplete="off" spellcheck={false} />
        <Field
          label="Destination tag"
          name="tag"
          inputMode="numeric"
          pattern="[0-9]{1,10}"
          title="A whole number"
          hint="On xrpl only. Leave it out if your account has none."
        />
      </Form>
    </section>
  );
}

/** The API replaces the whole configuration, so the form contains all of it. */
function AutoClaim({ desk, config }: { desk: Desk; config: Dashboard['lp']['auto_claim'] }) {
  const save = async ({ enabled, max_amount_usd, currencies = '', min_profit_usd }: FormValues) => {
    const codes = currencies.split(/[\s,]+/).filter(Boolean);
    const body = {
      enabled: enabled !== undefined,
      max_amount_usd: max_amount_usd ? Number(max_amount_usd) : null,
      currencies: codes.length > 0 ? codes : null,
      min_profit_usd: Number(min_profit_usd || 0),
    };
    const state = body.enabled ? 'on' : 'off';
    await post(desk, '/auto-claim', body, `Automatic claims are ${state}.`);
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
          hint="Separated by commas. Empty: all currencies with a rate of yours."
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
