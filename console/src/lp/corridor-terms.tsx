import { now } from '../clock.ts';
import { describeMethod } from '../delivery.ts';
import { formatMoney } from '../format.ts';
import { isDoubleClick } from '../ui/action.tsx';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Facts } from '../ui/facts.tsx';
import { Time } from '../ui/time.tsx';
import { CorridorActions } from './corridor-actions.tsx';
import type { ExplainedTerms } from './shapes.ts';
import { setQuoting, type TermsDesk } from './terms-desk.ts';
import {
  describeBand,
  describeCorridor,
  describeRate,
  isExpired,
  statusOf,
  troubleOf,
} from './terms-words.ts';

/** The LP's terms by currency, a card for each corridor. */
export function CorridorTerms({ desk, terms }: { desk: TermsDesk; terms: readonly ExplainedTerms[] }) {
  const byCurrency = Map.groupBy(terms, ({ currency }) => currency);
  if (terms.length === 0)
    return (
      <p class="state">
        You have no terms, so no order is offered to you. Publish terms for each method by which you can send
        fiat.
      </p>
    );
  // A currency with several methods takes a whole row, so currencies with one method follow together.
  const inOrder = [...byCurrency].toSorted(
    ([a, ofA], [b, ofB]) => Number(ofB.length > 1) - Number(ofA.length > 1) || a.localeCompare(b),
  );
  return (
    <div class="currencies">
      {inOrder.map(([currency, ofCurrency]) => (
        <CurrencyTerms key={currency} desk={desk} currency={currency} terms={ofCurrency} />
      ))}
    </div>
  );
}

function CurrencyTerms({
  desk,
  currency,
  terms,
}: {
  desk: TermsDesk;
  currency: string;
  terms: readonly ExplainedTerms[];
}) {
  const isQuoting = terms.some(({ quoting }) => quoting);
  const inOrder = terms.toSorted((a, b) => describeMethod(a).localeCompare(describeMethod(b)));
  return (
    <section aria-label={`Terms in ${currency}`} class={terms.length > 1 ? 'whole-row' : undefined}>
      <div class="row apart">
        <h2>{currency}</h2>
        {terms.length > 1 && (
          <button
            type="button"
            onClick={(event) => {
              if (!isDoubleClick(event)) void setQuoting(desk, { currency }, !isQuoting);
            }}
          >
            {isQuoting ? 'Stop' : 'Resume'} quoting {currency}
          </button>
        )}
      </div>
      <div class="columns cards">
        {inOrder.map((one) => (
          <CorridorCard key={one.method} desk={desk} terms={one} />
        ))}
      </div>
    </section>
  );
}

function CorridorCard({ desk, terms }: { desk: TermsDesk; terms: ExplainedTerms }) {
  const { currency, float, float_low, float_reserved, valid_until } = terms;
  const trouble = troubleOf(terms);
  const money = (amount: number) => formatMoney(amount, currency);
  return (
    <article class="sheet" aria-label={describeCorridor(terms)}>
      <div class="row apart">
        <h3>{describeMethod(terms)}</h3>
        <Badge status={statusOf(terms, now.value)} />
      </div>
      <Facts
        lead
        facts={[
          ['For one US dollar', describeRate(terms)],
          ['Valid until', <Validity key="validity" terms={terms} until={valid_until} />],
          ['Orders', describeBand(terms)],
          ['Float for new orders', float === null ? 'not counted' : money(float)],
          ['Reserved for orders', float === null && float_reserved === 0 ? null : money(float_reserved)],
          ['Low-float alert', float_low === null ? null : `below ${money(float_low)}`],
        ]}
      />
      {trouble !== null && <p class="notice">{trouble}</p>}
      <CorridorActions desk={desk} terms={terms} />
    </article>
  );
}

const RENEW_SOON_MS = 1_800_000;

function Validity({ terms, until }: { terms: ExplainedTerms; until: string }) {
  return (
    <>
      <Time at={until} />{' '}
      {!isExpired(terms, now.value) && (
        <small>
          (<Countdown until={until} warnBelowMs={RENEW_SOON_MS} />)
        </small>
      )}
    </>
  );
}
