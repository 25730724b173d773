import type { z } from 'zod';
import type { assetResponse } from '../../../src/api/resources/lp-terms/schemas.ts';
import { STABLECOINS } from '../../../src/domain/assets.ts';
import { formatTime } from '../format.ts';
import { callApi, lpPath } from '../session.ts';
import { Address } from '../ui/copyable.tsx';
import { Choice, Field, Form, type FormValues } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { chainOptions, chainWords, tokenWords } from '../words.ts';
import type { Desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';

type RegisteredAsset = z.output<typeof assetResponse>;

interface Place {
  address: string;
  destination_tag?: number | null | undefined;
}
const place = ({ address, destination_tag: tag }: Place) =>
  typeof tag === 'number' ? `${address} with tag ${tag}` : address;

/** The addresses at which the LP receives crypto. */
export function Assets({ desk, assets }: { desk: Desk; assets: Dashboard['assets'] }) {
  const register = async ({ symbol = '', chain, address = '', tag }: FormValues) => {
    const destination_tag = tag ? Number(tag) : undefined;
    const body = { symbol, chain, address, destination_tag };
    const { takes_effect_at: from } = await callApi<RegisteredAsset>('POST', lpPath('/assets'), { body });
    const text = `You receive ${tokenWords(symbol)} on ${chainWords(chain ?? '')} at ${place(body)}`;
    toast({ tone: 'good', text: from ? `${text} from ${formatTime(from)} on.` : `${text}.` });
    await desk.dashboard.reload();
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Receive addresses">
      <Table
        caption="Your receive addresses"
        columns={[
          { title: 'Token', cell: ({ symbol, chain }) => `${tokenWords(symbol)} on ${chainWords(chain)}` },
          {
            title: 'Address',
            cell: ({ pending, ...current }) => (
              <>
                <Address chain={current.chain} address={current.address} />
                {typeof current.destination_tag === 'number' && ` with tag ${current.destination_tag}`}
                {pending && (
                  <small>
                    {' '}
                    From <Time at={pending.takes_effect_at} /> on: <code>{place(pending)}</code>. To cancel
                    this change, register the present address again.
                  </small>
                )}
              </>
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
