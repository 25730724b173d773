import { useSignal } from '@preact/signals';
import type { SessionList } from '../../../src/api/resources/console-sessions/schemas.ts';
import { formatTime } from '../format.ts';
import { useResource } from '../resource.ts';
import { callApi, type Session, signOut } from '../session.ts';
import { Action } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { describeError } from './form.tsx';
import { Icon } from './icon.tsx';
import { ResourceView } from './states.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';
import { toast } from './toasts.tsx';

const SESSIONS = '/api/console/sessions';

/** Who is signed in and in which browsers, and how to sign out of each. */
export function Account({ session: { name, position, endsAt } }: { session: Session }) {
  const isOpen = useSignal(false);
  const leave = (everywhere: boolean) =>
    signOut(everywhere).catch((error) =>
      toast({ tone: 'bad', text: `You are still signed in: ${describeError(error)}` }),
    );
  return (
    <div class="person">
      <button
        type="button"
        class="quiet account"
        aria-label={`Your session: ${name}`}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="account" />
        <span>{name}</span>
      </button>
      <button type="button" class="quiet" onClick={() => void leave(false)}>
        <Icon name="signOut" />
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
          <Sessions />
          <p>
            If you have lost a device, or your key may be known to somebody else, sign out everywhere. Then
            have the key rotated, because somebody who has it can sign in again.
          </p>
          <button type="button" class="danger" onClick={() => void leave(true)}>
            Sign out everywhere
          </button>
        </Dialog>
      )}
    </div>
  );
}

/** The owner's sessions in all browsers. */
function Sessions() {
  const open = useResource((signal) => callApi<SessionList>('GET', SESSIONS, { signal }), []);
  const end = async ({ id, is_current }: SessionList['sessions'][number]) => {
    if (is_current) return signOut();
    await callApi('DELETE', `${SESSIONS}/${id}`);
    await open.reload();
  };
  return (
    <ResourceView resource={open} what="your sessions">
      {({ sessions }) => (
        <Table
          caption="Your open sessions"
          columns={[
            {
              title: 'Browser, address',
              cell: ({ user_agent, is_current, address }) => (
                <span title={user_agent ?? undefined}>
                  {nameBrowser(user_agent)}
                  {is_current && ', this one'}
                  <small class="second address">{address ?? 'unknown'}</small>
                </span>
              ),
            },
            { title: 'Opened', cell: ({ created_at }) => <Time at={created_at} /> },
            { title: 'Last use', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
            {
              title: 'Actions',
              kind: 'actions',
              cell: (one) => (
                <Action
                  run={() => end(one)}
                  successText="The session has ended."
                  label={`End the session of ${formatTime(one.created_at)}`}
                >
                  End
                </Action>
              ),
            },
          ]}
          rows={sessions}
          keyOf={({ id }) => id}
          empty="You have no open sessions."
        />
      )}
    </ResourceView>
  );
}

/** The name of a browser. Most browsers also name those that they are compatible with, so the order matters. */
const nameBrowser = (userAgent: string | null): string =>
  ['Edg', 'Firefox', 'Chrome', 'Safari']
    .find((name) => userAgent?.includes(`${name}/`))
    ?.replace('Edg', 'Edge') ?? 'Unknown';
