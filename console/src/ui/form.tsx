import { useSignal } from '@preact/signals';
import type {
  ComponentChildren,
  InputHTMLAttributes,
  PartialInputHTMLAttributes,
  TargetedSubmitEvent,
} from 'preact';
import { useId } from 'preact/hooks';
import { ApiError, Proposed } from '../api.ts';
import { linkTo } from '../route.ts';
import { describeFields, Failure } from './states.tsx';

/** The values of a form's fields by name. Unticked checkboxes are absent. */
export type FormValues = Record<string, string>;

/** The entries of a field, separated by commas or blanks. Null: there are none. */
export function listIn(text: string): string[] | null {
  const entries = text.split(/[\s,]+/).filter(Boolean);
  return entries.length > 0 ? entries : null;
}

/**
 * A form that cannot be submitted again while it is being sent, nor after another admin has to approve it. If `send` throws,
 * the form shows the error and keeps its values. Otherwise the result of `send` determines whether the form keeps them.
 */
export function Form({
  submit,
  send,
  children,
  tone = 'primary',
}: {
  /** The text of the submit button. */
  submit: string;
  send: (values: FormValues) => Promise<'empty' | 'keep'>;
  children?: ComponentChildren;
  tone?: 'primary' | 'danger';
}) {
  const error = useSignal<Error | null>(null);
  const sending = useSignal(false);

  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (sending.value || error.value instanceof Proposed) return;
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
      {error.value instanceof Proposed ? (
        <p class="notice" role="status">
          {error.value.message} <a href={linkTo('approvals')}>Show the proposals</a>
        </p>
      ) : (
        <>
          {error.value && <Failure error={error.value} />}
          <button type="submit" class={tone} disabled={sending.value}>
            {sending.value ? 'Sending…' : submit}
          </button>
        </>
      )}
    </form>
  );
}

type InputProps = Omit<PartialInputHTMLAttributes<HTMLInputElement>, 'label' | 'type'> & { type?: string };

/** An input with its label and an optional hint. */
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

/** A select with its label. */
export function Choice({
  label,
  name,
  options,
  value,
  onChange,
}: {
  label: string;
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  value?: string;
  onChange?: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} value={value} onChange={(event) => onChange?.(event.currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Returns the message of an error, with the refused fields. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fields = error instanceof ApiError ? describeFields(error) : '';
  return fields ? `${error.message}: ${fields}` : error.message;
}
