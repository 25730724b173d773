import { useSignal } from '@preact/signals';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { navigate } from '../route.ts';
import { wordsFor } from '../words.ts';
import { Choice, Field } from './form.tsx';

interface Named {
  name: string;
  label: string;
  /** It stands under “More filters”, which is open if one of its fields is set. */
  isRare?: true;
}
interface ChoiceFilter extends Named {
  values: readonly string[];
  /** What people read for a value. */
  words?: (value: string) => string;
}
interface InputFilter extends Named {
  type: 'text' | 'number' | 'date';
  placeholder?: string;
}
/** A field of a list's filter: a choice of values, or free input. */
export type Filter = ChoiceFilter | InputFilter;

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
  const rare = filters.filter(({ isRare }) => isRare);
  return (
    <search>
      <form class="inline sheet" key={formKey.value} onSubmit={onSubmit}>
        {filters
          .filter(({ isRare }) => !isRare)
          .map((filter) => (
            <FilterField key={filter.name} filter={filter} value={values[filter.name] ?? ''} />
          ))}
        <button type="submit">Apply</button>
        {rare.length > 0 && (
          <details open={rare.some(({ name }) => values[name])}>
            <summary>More filters</summary>
            <div class="inline">
              {rare.map((filter) => (
                <FilterField key={filter.name} filter={filter} value={values[filter.name] ?? ''} />
              ))}
            </div>
          </details>
        )}
      </form>
    </search>
  );
}

function FilterField({ filter, value }: { filter: Filter; value: string }) {
  const { name, label } = filter;
  if ('type' in filter)
    return (
      <Field
        label={label}
        name={name}
        type={filter.type}
        placeholder={filter.placeholder}
        defaultValue={value}
        {...(filter.type === 'number' ? { min: 1, step: 1 } : {})}
      />
    );
  const { values, words = wordsFor } = filter;
  const options = [['', 'all'] as const, ...values.map((one) => [one, words(one)] as const)];
  return <Choice label={label} name={name} value={value} options={options} />;
}
