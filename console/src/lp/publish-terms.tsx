import { useSignal } from '@preact/signals';
import { ANY_METHOD } from '../../../src/domain/delivery.ts';
import { describeMethod, methodsOf } from '../delivery.ts';
import { Choice, Field, Form, type FormValues } from '../ui/form.tsx';
import type { ExplainedTerms } from './shapes.ts';
import { publishTerms, type TermsDesk } from './terms-desk.ts';
import { FloatField, LimitFields, RateFields, rateOf } from './terms-fields.tsx';
import { describeCorridor } from './terms-words.ts';

/** The form for a corridor in which the LP has no terms yet. The cards above it change existing terms. */
export function PublishTerms({ desk, terms }: { desk: TermsDesk; terms: readonly ExplainedTerms[] }) {
  const typed = useSignal('');
  const timesPublished = useSignal(0);
  const currency = typed.value.trim().toUpperCase();
  const isCode = /^[A-Z]{3}$/.test(currency);
  const served = terms.filter((one) => one.currency === currency).map(({ method }) => method);
  const methods = isCode ? methodsOf(currency).filter((method) => !served.includes(method)) : [];
  const everyMethod = `You have terms for every method of ${currency}. Change them above.`;

  const send = async (values: FormValues) => {
    const { method } = values;
    if (!method) throw new Error(everyMethod);
    const amounts = ['min', 'max', 'float', 'float_low'].filter((name) => values[name]);
    const change = {
      currency,
      ...(method === ANY_METHOD ? {} : { method }),
      ...rateOf(values),
      ...Object.fromEntries(amounts.map((name) => [name, Number(values[name])])),
      // If another client has published terms here meanwhile, the service keeps their float.
      ...(values.float ? { expected_float: null } : {}),
    };
    const done = `Your terms for ${describeCorridor({ currency, method })} are published.`;
    await publishTerms(desk, change, done);
    typed.value = '';
    timesPublished.value += 1;
    return 'empty' as const;
  };
  return (
    <section class="sheet" aria-label="Publish terms">
      <h2>Publish terms</h2>
      <Form submit="Publish terms" send={send}>
        <div class="columns">
          <Field
            label="Currency"
            name="currency"
            required
            pattern="[A-Za-z]{3}"
            maxLength={3}
            placeholder="KES"
            title="Three letters, such as KES"
            autocomplete="off"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
          />
          {isCode && methods.length === 0 ? (
            <p class="notice">{everyMethod}</p>
          ) : (
            <Choice
              label="Method"
              name="method"
              options={
                isCode
                  ? methods.map((method) => [method, describeMethod({ currency, method })] as const)
                  : [['', 'Choose a currency first']]
              }
            />
          )}
          <RateFields key={timesPublished.value} />
          <LimitFields currency={currency} />
          <FloatField currency={currency} />
        </div>
      </Form>
    </section>
  );
}
