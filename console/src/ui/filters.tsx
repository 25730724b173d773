import { useSignal } from '@preact/signals';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { navigate } from '../route.ts';
import { wordsFor } from '../words.ts';
import { Choice, Field } from './form.tsx';

/** A field of a list's filter: a choice of values, or free input. `words`: what people read for a value. */
export type Filter =
  | { name: string; label: string; values: readonly string[]; words?: (value: string) => string }
  | { name: string; label: string; type: 'text' | 'number' | 'date'; placeholder?: string };

/** The filter form of a list. The address holds the filters, so users can share them, and the back button undoes them. */
export function Filters({
  path,
  filters,
  values,
}: {
  path: string;
  filters: readonly Filter[];
  /** The filters that the address holds. */
  values: Record<string, string | undefined>;
}) {
  // A new key resets the fields to the address, for example after the back button.
  const address = JSON.stringify(values);
  const formKey = useSignal(address);
  useEffect(() => {
    formKey.value = address;
  }, [address]);

  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = [...new FormData(event.currentTarget)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    navigate(path, Object.fromEntries(entered));
  };
  return (
    <search>
      <form class="inline sheet" key={formKey.value} onSubmit={onSubmit}>
        {filters.map((filter) =>
          'values' in filter ? (
            <Choice
              key={filter.name}
              label={filter.label}
              name={filter.name}
              value={values[filter.name] ?? ''}
              options={[
                ['', 'all'],
                ...filter.values.map((value) => [value, inWords(filter, value)] as const),
              ]}
            />
          ) : (
            <Field
              key={filter.name}
              label={filter.label}
              name={filter.name}
              type={filter.type}
              placeholder={filter.placeholder}
              defaultValue={values[filter.name] ?? ''}
              {...(filter.type === 'number' ? { min: 1, step: 1 } : {})}
            />
          ),
        )}
        <button type="submit">Apply</button>
      </form>
    </search>
  );
}

const inWords = ({ words = wordsFor }: Extract<Filter, { values: unknown }>, value: string) => words(value);
