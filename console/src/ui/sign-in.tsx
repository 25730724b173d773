import { signIn, signOutReason } from '../session.ts';
import { Field, Form } from './form.tsx';

export function SignIn() {
  return (
    <main class="sign-in">
      <h1>Corridor</h1>
      <p>The console for liquidity providers and admins.</p>
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
          hint="An LP key begins with lp_. The browser keeps the key for this tab only, until you sign out or close the tab."
        />
      </Form>
      <p>
        An LP gets its key from <code>POST /api/lp/register</code>. The admin key is a setting of the service.{' '}
        <a href="/docs">API reference</a>
      </p>
    </main>
  );
}
