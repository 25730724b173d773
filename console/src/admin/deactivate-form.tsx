import { callApi } from '../session.ts';
import { Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { AuditReason } from './audit-reason.tsx';

/** Ends an access for good, with a reason. `path`: of the access in the API. `name`: such as `Key 7`. */
export const DeactivateForm = ({
  path,
  name,
  onChanged,
}: {
  path: string;
  name: string;
  onChanged: () => Promise<void>;
}) => (
  <Form
    submit="Deactivate permanently"
    tone="danger"
    send={async ({ reason = '' }) => {
      await callApi('DELETE', `${path}?${new URLSearchParams({ reason })}`);
      toast({ tone: 'good', text: `${name} is deactivated.` });
      await onChanged();
      return 'keep';
    }}
  >
    <AuditReason />
  </Form>
);
