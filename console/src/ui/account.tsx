import { useSignal } from '@preact/signals';
import { formatTime } from '../format.ts';
import { type Session, signOut } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { describeError } from './form.tsx';
import { toast } from './toasts.tsx';

/** Who is signed in, and how to sign out here and everywhere. */
export function Account({ session: { name, position, endsAt } }: { session: Session }) {
  const isOpen = useSignal(false);
  const leave = (everywhere: boolean) =>
    signOut(everywhere).catch((error) =>
      toast({ tone: 'bad', text: `You are still signed in: ${describeError(error)}` }),
    );
  return (
    <>
      <button
        type="button"
        class="quiet account"
        aria-label={`Your session: ${name}`}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {name}
      </button>
      <button type="button" class="quiet" onClick={() => void leave(false)}>
        Sign out
      </button>
      {isOpen.value && (
        <Dialog
          title="Your session"
          close={() => {
            isOpen.value = false;
          }}
        >
          <p>
            You are signed in as <strong>{name}</strong>
            {position && `, ${position}`}.
            {endsAt && ` The session ends at ${formatTime(endsAt)}, or earlier if you do not use it.`}
          </p>
          <p>
            If you have lost a device, or your key may be known to somebody else, sign out everywhere. Then
            have the key rotated, because somebody who has it can sign in again.
          </p>
          <button type="button" class="danger" onClick={() => void leave(true)}>
            Sign out everywhere
          </button>
        </Dialog>
      )}
    </>
  );
}
