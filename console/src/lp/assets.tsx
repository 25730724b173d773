import { CHAINS, STABLECOINS } from '../../../src/domain/assets.ts';
import { Choice, Field, Form, type FormValues } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import type { Desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';
import { postChange } from './terms-desk.ts';

const chainOptions = CHAINS.map((chain) => [chain, chain] as const);

/** The addresses at which the LP receives crypto. */
export function Assets({ desk, assets }: { desk: Desk; assets: Dashboard['assets'] }) {
  const register = async ({ symbol = '', chain, address, tag }: FormValues) => {
    const done = `You receive ${symbol} on ${chain} at ${address}${tag ? ` with tag ${tag}` : ''}.`;
    const destination_tag = tag ? Number(tag) : undefined;
    await postChange(desk, '/assets', { symbol, chain, address, destination_tag }, done);
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Receive addresses">
      <Table
        caption="Your receive addresses"
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
