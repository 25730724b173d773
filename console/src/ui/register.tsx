import { call } from '../api.ts';
import { signIn } from '../session.ts';
import { Field, Form } from './form.tsx';
import { useCopy } from './use-copy.ts';

/** What a registration returns. The page has the key until it is reloaded or left. */
export interface NewKey {
  lp_id: number;
  lp_key: string;
}

/** An LP registers itself. Terms, addresses and collateral come after the sign-in. */
export function Register({ done, back }: { done: (made: NewKey) => void; back: () => void }) {
  return (
    <>
      <h2>Register as a liquidity provider</h2>
      <Form
        submit="Register"
        send={async ({ display_name, ...rest }) => {
          const body = { ...rest, ...(display_name ? { display_name } : {}) };
          done(await call<NewKey>('POST', '/api/lp/register', { body }));
          return 'empty';
        }}
      >
        <Field
          label="Name"
          name="display_name"
          maxLength={200}
          hint="Agents and admins see it. Without one you are LP and a number."
        />
        <Field
          label="Phone number"
          name="mpesa_phone"
          type="tel"
          maxLength={32}
          required
          hint="Admins reach you at it."
        />
        <Field
          label="XRP Ledger account"
          name="xrpl_address"
          spellcheck={false}
          required
          hint="The account that you operate. You register the addresses that receive payments later."
        />
      </Form>
      <p>
        <button type="button" class="link" onClick={back}>
          Sign in with a key instead
        </button>
      </p>
    </>
  );
}

/** The new key, once. */
export function ShownKey({ made: { lp_id, lp_key } }: { made: NewKey }) {
  const { copy, outcome } = useCopy('key');
  return (
    <>
      <h2>You are LP {lp_id}</h2>
      <p>
        <code class="secret">{lp_key}</code>
      </p>
      <p>
        <strong>Store this key now: it is not shown again.</strong> With it you sign in here, and your
        programs call the API. If you lose it, an admin can issue another one.
      </p>
      <p>
        <button type="button" onClick={() => copy(lp_key)}>
          Copy
        </button>{' '}
        <span role="status">{outcome}</span>
      </p>
      <Form
        submit="I have stored it: sign in"
        send={async () => {
          await signIn(lp_key);
          return 'empty';
        }}
      />
    </>
  );
}
