import { EXPORT_NAMES, EXPORTS, type ExportName } from '../../../src/domain/exports.ts';
import { savePath } from '../save-file.ts';
import { Choice, Field, Form } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';

const TITLES: Record<ExportName, string> = {
  orders: 'Orders (CSV)',
  ledger: 'Ledger (CSV)',
  journal: 'Ledger (journal)',
  history: 'History of an LP (CSV)',
  statement: 'Statement of an LP (CSV)',
};
/** A file of all LPs must not be taken for one of the LP that the form names. */
function requireLpFile(file: string, lpId: string): void {
  const name = EXPORT_NAMES.find((one) => EXPORTS[one].file === file);
  if (name && lpId && !EXPORTS[name].ofLp)
    throw new Error(
      `${TITLES[name]} is about all LPs: empty the field “LP”, or choose the history or the statement of an LP`,
    );
}

const FILES = EXPORT_NAMES.map((name) => [EXPORTS[name].file, TITLES[name]] as const);

/** Saves files for accountants. */
export const Exports = () => (
  <section aria-label="Exports" class="sheet">
    <h2>Exports</h2>
    <Form
      submit="Save"
      send={async ({ file = '', from = '', to = '', lp_id = '' }) => {
        requireLpFile(file, lp_id);
        const query = new URLSearchParams({ from, to, ...(lp_id ? { lp_id } : {}) });
        await savePath(`/api/admin/exports/${file}?${query}`);
        toast({ tone: 'good', text: 'The export is saved.' });
        return 'keep';
      }}
    >
      <div class="columns">
        <Choice label="File" name="file" value={EXPORTS.orders.file} options={FILES} />
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
