import type { z } from 'zod';
import type { approvedResponse } from '../../../src/api/resources/approvals/schemas.ts';
import type { ListedApproval } from '../../../src/api/schemas/approvals.ts';
import { parseDuration } from '../../../src/domain/duration.ts';
import { formatTime } from '../format.ts';
import { callApi, session } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { ProposalDetails } from './proposal.tsx';
import { proposerText, requestWords } from './proposal-words.ts';
import type { NewSecret } from './secret-dialog.tsx';

export const APPROVALS_PATH = '/api/admin/approvals';

interface Props {
  proposal: ListedApproval;
  close: () => void;
  reload: () => Promise<void>;
}

/** Shows what would happen, and asks. `onSecret`: the request has made a key for a person, which is shown once. */
export const ApproveDialog = ({
  proposal,
  close,
  reload,
  onSecret,
}: Props & { onSecret: (secret: NewSecret) => void }) => (
  <Dialog title={`Approve proposal ${proposal.id}`} close={close}>
    <p>
      <strong>{requestWords(proposal)}</strong>, proposed by {proposerText(proposal)}.
    </p>
    <ProposalDetails proposal={proposal} />
    <p>
      Corridor checks the request again and carries it out immediately. After that, nobody can withdraw it.
    </p>
    {endsOwnKey(proposal) ? (
      <p class="notice">
        This ends your own key, and your session with it, before you could copy the new key here. Let another
        admin approve it, or use npm run admin -- approvals approve {proposal.id}.
      </p>
    ) : (
      <Form
        submit="Approve and carry out"
        tone="danger"
        send={async () => {
          const path = `${APPROVALS_PATH}/${proposal.id}/approve`;
          // A refused request may be approved all the same, and the list says so.
          const { result } = await callApi<z.output<typeof approvedResponse>>('POST', path).finally(reload);
          toast({ tone: 'good', text: `Proposal ${proposal.id} is approved and carried out.` });
          close();
          const secret = secretIn(result);
          if (secret) onSecret(secret);
          return 'keep';
        }}
      />
    )}
  </Dialog>
);

/** Time to copy a new key, in milliseconds. */
const COPYING_MS = 60_000;

/** Whether the approver's own key, and so this session, would end before its new key is copied. */
function endsOwnKey({ action, params, body }: ListedApproval): boolean {
  if (action !== 'POST /api/admin/admins/:id/rotate' || session.value?.owner !== `admin:${params.id}`)
    return false;
  const { overlap } = (body ?? {}) as { overlap?: string | number };
  if (overlap === undefined) return false;
  const ms = typeof overlap === 'number' ? overlap * 1_000 : parseDuration(overlap);
  return ms !== undefined && ms < COPYING_MS;
}

/** The key that a new admin, or one with a new key, gets from the approver. */
function secretIn({ name, api_key, warning, old_key_expires_at }: Record<string, unknown>): NewSecret | null {
  if (typeof api_key !== 'string') return null;
  const old =
    typeof old_key_expires_at === 'string' && `The old key expires ${formatTime(old_key_expires_at)}.`;
  const more = `Hand it over to ${name}. ${old || ''}`.trim();
  return { title: `The key of ${name}`, text: api_key, warning: String(warning), more };
}

export const RejectDialog = ({ proposal, close, reload, isOwn }: Props & { isOwn: boolean }) => {
  const verb = isOwn ? 'Withdraw' : 'Reject';
  return (
    <Dialog title={`${verb} proposal ${proposal.id}`} close={close}>
      <p>
        <strong>{requestWords(proposal)}</strong>, proposed by {proposerText(proposal)}.
      </p>
      <p>Nothing is carried out. The decision is final, but the same request can be proposed again.</p>
      <Form
        submit={verb}
        tone="danger"
        send={async () => {
          await callApi('POST', `${APPROVALS_PATH}/${proposal.id}/reject`).finally(reload);
          toast({ tone: 'good', text: `Proposal ${proposal.id} is ${isOwn ? 'withdrawn' : 'rejected'}.` });
          close();
          return 'keep';
        }}
      />
    </Dialog>
  );
};
