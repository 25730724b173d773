import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { installation, loadInstallation } from '../installation.ts';
import { signIn, signOutReason } from '../session.ts';
import { Field, Form } from './form.tsx';
import { type NewKey, Register, ShownKey } from './register.tsx';

/** The page of a browser in which nobody is signed in. */
export function SignIn() {
  const step = useSignal<'sign in' | 'register' | NewKey>('sign in');
  const show = (next: typeof step.value) => {
    step.value = next;
  };
  return (
    <main class="sign-in">
      <h1>
        <img src="/logo.svg" alt="" width="32" height="32" /> Corridor{' '}
        {installation.value?.sandbox && <span class="badge warn">Sandbox</span>}
      </h1>
      {step.value === 'sign in' ? (
        <KeyForm register={() => show('register')} />
      ) : step.value === 'register' ? (
        <Register done={show} back={() => show('sign in')} />
      ) : (
        <ShownKey made={step.value} />
      )}
    </main>
  );
}

function KeyForm({ register }: { register: () => void }) {
  return (
    <>
      <p>The console for liquidity providers, agents and admins.</p>
      {signOutReason.value && (
        <p class="state failure" role="alert">
          {signOutReason.value}
        </p>
      )}
      <Form
        submit="Sign in"
        send={async ({ key = '' }) => {
          await signIn(key);
          return 'empty';
        }}
      >
        <Field
          label="Key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          hint="An LP’s key begins with lp_, an agent’s with rk_live_, an admin’s with adm_live_. The browser does not keep the key. You stay signed in, in all tabs, until you sign out or do not use the console for a while."
        />
      </Form>
      <ProviderLink />
      <p>
        Are you a liquidity provider without a key?{' '}
        <button type="button" class="link" onClick={register}>
          Register
        </button>
      </p>
      <p>
        An admin or an agent gets a key from an owner of this installation. <a href="/docs">API reference</a>
      </p>
    </>
  );
}

/** Admins can sign in without a key, if the installation has an identity provider. */
function ProviderLink() {
  useEffect(() => void loadInstallation(), []);
  const path = installation.value?.identity_provider;
  return path ? (
    <p>
      Are you an admin? <a href={path}>Sign in with your organisation</a>
    </p>
  ) : null;
}
