import { useSignal } from '@preact/signals';
import type {
  ComponentChildren,
  InputHTMLAttributes,
  PartialInputHTMLAttributes,
  TargetedSubmitEvent,
} from 'preact';
import { useId } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { Failure } from './states.tsx';

/** What was written into a form, by the names of its fields; boxes that are not ticked are absent. */
export type Written = Record<string, string>;

/**
 * A form that sends what was written. While it is sent it cannot be sent again; what the service refuses stands in it,
 * and what was written stays. `send` says by its result whether the form is emptied.
 */
export function Form({
  submit,
  send,
  children,
  tone = 'primary',
}: {
  /** The button's words. */
  submit: string;
  send: (written: Written) => Promise<'empty' | 'keep'>;
  children?: ComponentChildren;
  tone?: 'primary' | 'danger';
}) {
  const error = useSignal<Error | null>(null);
  const sending = useSignal(false);

  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending.value) return;
    const form = event.currentTarget;
    const entries = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
    sending.value = true;
    error.value = null;
    try {
      if ((await send(Object.fromEntries(entries))) === 'empty') form.reset();
    } catch (failure) {
      error.value = failure as Error;
    }
    sending.value = false;
  };

  return (
    <form onSubmit={onSubmit} aria-busy={sending.value}>
      {children}
      {error.value && <Failure error={error.value} />}
      <button type="submit" class={tone} disabled={sending.value}>
        {sending.value ? 'Sending…' : submit}
      </button>
    </form>
  );
}

type InputProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, 'label' | 'type'> & { type?: string };

/** A field with its label and a hint below it. */
export function Field({ label, hint, ...input }: { label: string; hint?: string } & InputProps) {
  const id = useId();
  return (
    <div class={input.type === 'checkbox' ? 'field box' : 'field'}>
      <label for={id}>{label}</label>
      <input
        id={id}
        {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        {...(input as InputHTMLAttributes<HTMLInputElement>)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A choice of one of several values. */
export function Choice({
  label,
  name,
  options,
  value,
  onChange,
}: {
  label: string;
  name: string;
  options: readonly (readonly [value: string, shown: string])[];
  value?: string;
  onChange?: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {options.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What a button's work came to, for a message: the service's words, with the fields that it named. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = error instanceof ApiError ? Object.entries(error.fields) : [];
  const named = fields.map(([name, faults]) => `${name} ${faults.join(', ')}`).join('; ');
  return named ? `${error.message}: ${named}` : error.message;
}
