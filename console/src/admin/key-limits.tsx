import { AGENT_SCOPES, type AgentScope, SCOPES } from '../../../src/domain/agent-scopes.ts';
import { Field, type FormValues, listIn } from '../ui/form.tsx';

/** When a key ends, and where it is accepted. Null: there is no limit. */
interface KeyLimits {
  expires_at: string | null;
  allowed_ips: string[] | null;
}

const NO_LIMITS: KeyLimits = { expires_at: null, allowed_ips: null };

const dayOf = ({ expires_at }: KeyLimits): string => expires_at?.slice(0, 10) ?? '';
const addressesOf = ({ allowed_ips }: KeyLimits): string => allowed_ips?.join(', ') ?? '';

/** The fields of a form for the limits of a key: the present ones, or none for a new key. */
export const KeyLimitFields = ({ limits = NO_LIMITS }: { limits?: KeyLimits }) => (
  <>
    <Field
      label="Valid until (UTC)"
      name="expires_at"
      type="date"
      defaultValue={dayOf(limits)}
      hint="From midnight of this day on, the key is refused. Empty: it does not expire."
    />
    <Field
      label="Allowed addresses"
      name="allowed_ips"
      placeholder="203.0.113.7, 10.0.0.0/8"
      defaultValue={addressesOf(limits)}
      hint="Addresses and networks. Empty: all."
    />
  </>
);

/**
 * What the fields say. A field that nobody has changed is left out: the limit may be a time of the day, and a limit in the
 * body is a change of it, which may need a second admin.
 */
export function keyLimitsOf(
  { expires_at = '', allowed_ips = '' }: FormValues,
  limits: KeyLimits = NO_LIMITS,
): Partial<KeyLimits> {
  return {
    ...(expires_at !== dayOf(limits) && { expires_at: expires_at || null }),
    ...(allowed_ips !== addressesOf(limits) && { allowed_ips: listIn(allowed_ips) }),
  };
}

/** Whether the list names every scope. */
export const isEveryScope = (scopes: readonly AgentScope[] | null): boolean =>
  scopes?.length === SCOPES.length;

const fieldOf = (scope: AgentScope): string => `scope_${scope}`;

/** A box for each scope of an agent key. Null: the key has all. */
export const ScopeFields = ({ scopes }: { scopes: readonly AgentScope[] | null }) => (
  <fieldset>
    <legend>What the key may do</legend>
    {SCOPES.map((scope) => (
      <Field
        key={scope}
        label={`${scope}: ${AGENT_SCOPES[scope]}`}
        name={fieldOf(scope)}
        type="checkbox"
        defaultChecked={scopes === null || scopes.includes(scope)}
      />
    ))}
  </fieldset>
);

/** The ticked scopes. Null: all of them, also those of later versions. */
export function scopesOf(values: FormValues): AgentScope[] | null {
  const ticked = SCOPES.filter((scope) => values[fieldOf(scope)] !== undefined);
  return ticked.length === SCOPES.length ? null : ticked;
}
