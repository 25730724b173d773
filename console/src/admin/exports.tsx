import { savePath } from '../save-file.ts';
import { Choice, Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

const FILES = [
  ['orders.csv', 'Orders (CSV)'],
  ['ledger.csv', 'Ledger (CSV)'],
  ['ledger.journal', 'Ledger (journal)'],
  ['history.csv', 'History of an LP (CSV)'],
  ['statement.csv', 'Statement of an LP (CSV)'],
] as const;

/** Saves files for accountants. */
export const Exports = () => (
  <section aria-label="Exports" class="sheet">
    <h2>Exports</h2>
    <Form
      submit="Save"
      send={async ({ file = '', from = '', to = '', lp_id = '' }) => {
        const query = new URLSearchParams({ from, to, ...(lp_id ? { lp_id } : {}) });
        await savePath(`/api/admin/exports/${file}?${query}`);
        toast({ tone: 'good', text: 'The export is saved.' });
        return 'keep';
      }}
    >
      <div class="columns">
        <Choice label="File" name="file" value={FILES[0][0]} options={FILES} />
        <Field label="From (UTC)" name="from" type="date" required />
        <Field label="Until before (UTC)" name="to" type="date" required />
        <Field
          label="LP"
          name="lp_id"
          type="number"
          min={1}
          step={1}
          hint="The id of the LP, for its history or its statement."
        />
      </div>
    </Form>
  </section>
);
