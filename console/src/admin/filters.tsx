import { useSignal } from '@preact/signals';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../format.ts';
import { go } from '../route.ts';
import { Choice, Field } from '../ui/form.tsx';

/** A field that a list is filtered by: a choice of values, or what is written. */
export type Filter =
  | { name: string; label: string; values: readonly string[] }
  | { name: string; label: string; type: 'text' | 'number' | 'date' };

/** Filters that are part of the address: what is set can be sent to somebody, and undone by going back. */
export function Filters({
  path,
  filters,
  given,
}: {
  path: string;
  filters: readonly Filter[];
  given: Record<string, string | undefined>;
}) {
  // Fields show what the address says, also when somebody goes back.
  const address = JSON.stringify(given);
  const drawn = useSignal(address);
  useEffect(() => {
    drawn.value = address;
  }, [address]);

  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const written = [...new FormData(event.currentTarget)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    go(path, Object.fromEntries(written));
  };
  return (
    <search>
      <form class="inline sheet" key={drawn.value} onSubmit={onSubmit}>
        {filters.map((filter) =>
          'values' in filter ? (
            <Choice
              key={filter.name}
              label={filter.label}
              name={filter.name}
              value={given[filter.name] ?? ''}
              options={[['', 'all'], ...filter.values.map((value) => [value, words(value)] as const)]}
            />
          ) : (
            <Field
              key={filter.name}
              label={filter.label}
              name={filter.name}
              type={filter.type}
              defaultValue={given[filter.name] ?? ''}
              {...(filter.type === 'number' ? { min: 1, step: 1 } : {})}
            />
          ),
        )}
        <button type="submit">Show</button>
      </form>
    </search>
  );
}
