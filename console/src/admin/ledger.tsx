import type { ComponentChildren } from 'preact';
import type { LedgerReport } from '../../../src/contract/ledger.ts';
import type { ReconciliationReport } from '../../../src/contract/reconciliation.ts';
import { count, time, words } from '../format.ts';
import { type Resource, useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { ask } from '../session.ts';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';

/** The proofs: that the books agree, and that rows, workflows and ledger do. Each is made when it is asked for. */
export function Ledger() {
  const ledger = useResource((signal) => ask<LedgerReport>('GET', '/api/admin/ledger', { signal }), []);
  const drift = useResource(
    (signal) => ask<ReconciliationReport>('GET', '/api/admin/reconciliation', { signal }),
    [],
  );
  return (
    <>
      <Proof title="The books" resource={ledger} what="the proof of the ledger">
        {(report) => <Books report={report} />}
      </Proof>
      <Proof title="Orders and workflows" resource={drift} what="the comparison">
        {(report) => <Reconciliation report={report} />}
      </Proof>
    </>
  );
}

const Proof = <T extends { checked_at: string }>({
  title,
  resource,
  what,
  children,
}: {
  title: string;
  resource: Resource<T>;
  what: string;
  children: (report: T) => ComponentChildren;
}) => (
  <section aria-label={title} aria-busy={resource.loading.value}>
    <div class="row apart">
      <h2>{title}</h2>
      <button type="button" disabled={resource.loading.value} onClick={() => void resource.reload()}>
        {resource.loading.value ? 'Checking…' : 'Check again'}
      </button>
    </div>
    <Read resource={resource} what={what}>
      {(report) => (
        <>
          {children(report)}
          <p>
            <small>Checked {time(report.checked_at)}.</small>
          </p>
        </>
      )}
    </Read>
  </section>
);

const Books = ({ report: { ok, checks } }: { report: LedgerReport }) => (
  <>
    <Verdict good={ok}>{ok ? 'The ledger is sound.' : 'The ledger does not agree.'}</Verdict>
    <Table
      caption="What was proved"
      columns={[
        { title: 'Check', cell: ({ check }) => check },
        { title: 'Looked at', kind: 'number', cell: ({ checked }) => count(checked) },
        { title: 'Drifts', kind: 'number', cell: ({ drifts }) => <Drifts number={drifts} /> },
      ]}
      rows={checks}
      keyOf={({ check }) => check}
      empty="Nothing was checked."
    />
    <Findings
      found={checks.flatMap(({ check, first }) =>
        first.map((finding) => ({ ...finding, kind: check, order_id: null })),
      )}
    />
  </>
);

const Reconciliation = ({ report }: { report: ReconciliationReport }) => {
  const { drift, temporal, reconciler, needs_attention } = report;
  const isHealing = drift.some(({ count, healing }) => healing && count !== 0);
  return (
    <>
      <Verdict good={!needs_attention}>
        {needs_attention
          ? 'Something needs you.'
          : isHealing
            ? 'The reconciler is mending what it has found.'
            : 'All agree.'}
        {!temporal && ' Temporal does not answer: what runs there could not be compared.'}
        {!reconciler.at_work && ' The reconciler is not at work.'}
      </Verdict>
      <Table
        caption="What disagrees"
        columns={[
          { title: 'Drift', cell: ({ kind }) => words(kind) },
          {
            title: 'Count',
            kind: 'number',
            cell: ({ count }) => (count === null ? 'not known' : <Drifts number={count} />),
          },
          { title: 'Heals by itself', cell: ({ healing }) => (healing ? 'yes' : 'no') },
        ]}
        rows={drift}
        keyOf={({ kind }) => kind}
        empty="Nothing was compared."
      />
      <Findings
        found={drift.flatMap(({ kind, first }) =>
          first.map((finding) => ({ ...finding, kind: words(kind) })),
        )}
      />
    </>
  );
};

const Verdict = ({ good, children }: { good: boolean; children: ComponentChildren }) => (
  <p class={`state ${good ? 'sound' : 'failure'}`} role="status">
    {children}
  </p>
);

const Drifts = ({ number }: { number: number }) => (
  <span class={number > 0 ? 'loss' : undefined}>{count(number)}</span>
);

interface Found {
  kind: string;
  order_id: number | null;
  where: string;
  expected: string;
  found: string;
}

const Findings = ({ found }: { found: Found[] }) =>
  found.length > 0 && (
    <Table
      caption="What was found"
      columns={[
        { title: 'What', cell: ({ kind }) => kind },
        {
          title: 'Where',
          cell: ({ where, order_id }) =>
            order_id === null ? where : <a href={linkTo(`orders/${order_id}`)}>{where}</a>,
        },
        { title: 'Expected', cell: ({ expected }) => expected },
        { title: 'Found', cell: ({ found }) => found },
      ]}
      rows={found}
      keyOf={({ kind, where, found }) => `${kind}/${where}/${found}`}
      empty="Nothing."
    />
  );
