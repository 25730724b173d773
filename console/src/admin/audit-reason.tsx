import { Field } from '../ui/form.tsx';

/** Why an admin ends somebody's access. */
export const AuditReason = () => (
  <Field
    label="Reason"
    name="reason"
    required
    maxLength={300}
    hint="The audit keeps it for good, so write no personal data and no keys."
  />
);
