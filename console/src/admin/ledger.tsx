import type { ComponentChildren } from 'preact';
import type { LedgerReport } from '../../../src/api/resources/ledger/schemas.ts';
import type { ReconciliationReport } from '../../../src/api/resources/reconciliation/schemas.ts';
import { formatCount } from '../format.ts';
import { type Resource, useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { callApi } from '../session.ts';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { wordsFor } from '../words.ts';
import { Exports } from './exports.tsx';

/** Two checks on demand: that the ledger is consistent, and that rows, workflows and ledger agree. */
export function Ledger() {
  const ledger = useResource((signal) => callApi<LedgerReport>('GET', '/api/admin/ledger', { signal }), []);
  const drift = useResource(
    (signal) => callApi<ReconciliationReport>('GET', '/api/admin/reconciliation', { signal }),
    [],
  );
  return (
    <>
      <Check title="Ledger check" resource={ledger} what="the ledger check">
        {(report) => <LedgerResult report={report} />}
      </Check>
      <Check title="Drift check" resource={drift} what="the drift check">
        {(report) => <DriftResult report={report} />}
      </Check>
      <Exports />
    </>
  );
}

const Check = <T extends { checked_at: string }>({
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
    <ResourceView resource={resource} what={what}>
      {(report) => (
        <>
          {children(report)}
          <p>
            <small>
              Checked <Time at={report.checked_at} />.
            </small>
          </p>
        </>
      )}
    </ResourceView>
  </section>
);

const LedgerResult = ({ report: { ok, checks } }: { report: LedgerReport }) => (
  <>
    <Verdict good={ok}>{ok ? 'The ledger is consistent.' : 'The ledger is inconsistent.'}</Verdict>
    <Table
      caption="Ledger rules"
      columns={[
        { title: 'Rule', cell: ({ check }) => check },
        { title: 'Checked', kind: 'number', cell: ({ checked }) => formatCount(checked) },
        { title: 'Drifts', kind: 'number', cell: ({ drifts }) => <Drifts number={drifts} /> },
      ]}
      rows={checks}
      keyOf={({ check }) => check}
      empty="No rules were checked."
    />
    <Findings
      findings={checks.flatMap(({ check, first }) =>
        first.map((finding) => ({ ...finding, kind: check, order_id: null })),
      )}
    />
  </>
);

const RESERVES: Record<ReconciliationReport['reserves']['result'], string> = {
  covered: 'The platform’s addresses hold what LPs are owed.',
  short: 'The platform’s addresses hold less than LPs are owed.',
  unconfirmed:
    'The platform’s addresses hold less than LPs are owed. The next check confirms it, unless a payout explains it.',
  unknown: 'It is unknown whether the platform’s addresses hold what LPs are owed.',
  not_compared: 'The platform’s addresses are not compared with what LPs are owed.',
};

const DriftResult = ({ report }: { report: ReconciliationReport }) => {
  const { drift, temporal, reserves, reconciler, needs_attention } = report;
  const isHealing = drift.some(({ count, healing }) => healing && count !== 0);
  return (
    <>
      <Verdict good={!needs_attention}>
        {needs_attention
          ? 'Some drift needs an admin.'
          : isHealing
            ? 'The reconciler is repairing the drift.'
            : 'There is no drift.'}
        {!temporal && ' Temporal does not answer, so its workflows were not compared.'}
        {!reconciler.at_work && ' The reconciler is not running.'}
      </Verdict>
      <p>{RESERVES[reserves.result]}</p>
      <Table
        caption="Drift by kind"
        columns={[
          { title: 'Drift', cell: ({ kind }) => wordsFor(kind) },
          {
            title: 'Count',
            kind: 'number',
            cell: ({ count }) => (count === null ? 'unknown' : <Drifts number={count} />),
          },
          { title: 'Repaired automatically', cell: ({ healing }) => (healing ? 'yes' : 'no') },
        ]}
        rows={drift}
        keyOf={({ kind }) => kind}
        empty="No drift was checked."
      />
      <Findings
        findings={drift.flatMap(({ kind, first }) =>
          first.map((finding) => ({ ...finding, kind: wordsFor(kind) })),
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
  <span class={number > 0 ? 'loss' : undefined}>{formatCount(number)}</span>
);

interface Finding {
  kind: string;
  order_id: number | null;
  where: string;
  expected: string;
  found: string;
}

const Findings = ({ findings }: { findings: Finding[] }) =>
  findings.length > 0 && (
    <Table
      caption="Findings"
      columns={[
        { title: 'Kind', cell: ({ kind }) => kind },
        {
          title: 'Where',
          cell: ({ where, order_id }) =>
            order_id === null ? where : <a href={linkTo(`orders/${order_id}`)}>{where}</a>,
        },
        { title: 'Expected', cell: ({ expected }) => expected },
        { title: 'Found', cell: ({ found }) => found },
      ]}
      rows={findings}
      keyOf={({ kind, where, found }) => `${kind}/${where}/${found}`}
      empty="None."
    />
  );
