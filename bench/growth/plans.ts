import pg from 'pg';

/** How PostgreSQL executed a statement that Corridor sent during the observation. */
export interface StatementPlan {
  /** The statement, on one line. */
  text: string;
  calls: number;
  /** Median execution time of all calls, in milliseconds. */
  ms: number;
  /** Rows read from tables and indexes, including rows that a filter removed; the maximum of all calls. */
  rows: number;
  /** 8 KB pages touched; the maximum of all calls. */
  pages: number;
  /** The plan nodes of the call that read the most rows, one line each, indented by depth. */
  nodes: string[];
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'CTE Name'?: string;
  'Subplan Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

interface Logged {
  ms: number;
  text: string;
  plan: PlanNode;
}

/** The settings with which `auto_explain` logs the plan of every statement of the database. */
const EXPLAIN = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
};
const LOG = 'server.log';

/**
 * Returns the plans of all statements that new connections send to a database during `work`. These are Corridor's actual
 * plans, including cached plans of prepared statements. Works only with an embedded server, whose log is in its data
 * folder.
 */
export async function plansDuring(databaseUrl: string, work: () => Promise<void>): Promise<StatementPlan[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const database = `database ${new URL(databaseUrl).pathname.slice(1)}`;
    for (const [name, value] of Object.entries(EXPLAIN))
      await client.query(`alter ${database} set ${name} = '${value}'`);
    const { rows: before } = await client.query<{ size: string }>(`select size from pg_stat_file('${LOG}')`);
    await work();
    for (const name of Object.keys(EXPLAIN)) await client.query(`alter ${database} reset ${name}`);
    const { rows } = await client.query<{ log: string }>(
      `select convert_from(pg_read_binary_file('${LOG}', $1, 1000000000), 'UTF8') as log`,
      [before[0]?.size ?? 0],
    );
    return groupByText(entriesOf(rows[0]?.log ?? ''));
  } finally {
    await client.end();
  }
}

function entriesOf(log: string): Logged[] {
  const entries: Logged[] = [];
  for (const entry of log.split(/^(?=\d{4}-\d\d-\d\d )/m)) {
    const [, ms, json] = /LOG: {2}duration: ([\d.]+) ms {2}plan:\n([\s\S]*)$/.exec(entry) ?? [];
    if (ms === undefined || json === undefined) continue;
    const { 'Query Text': text, Plan: plan } = JSON.parse(json);
    // The plan of a statement already includes the functions that it calls, whose entries have no text.
    if (text === '') continue;
    entries.push({ ms: Number(ms), text: withoutValues(text.replace(/\s+/g, ' ').trim()), plan });
  }
  return entries;
}

/** Removes values: the ORM writes them into its statements, and some are keys. */
const withoutValues = (text: string) =>
  text.startsWith('select "') ? text.replace(/E?'[^']*'/g, '?') : text;

function groupByText(entries: Logged[]): StatementPlan[] {
  const byText = Map.groupBy(entries, ({ text }) => text);
  return [...byText].map(([text, sent]) => {
    const times = sent.map(({ ms }) => ms).sort((a, b) => a - b);
    const widest = sent.reduce((most, one) => (rowsOf(one.plan) > rowsOf(most.plan) ? one : most));
    return {
      ...{ text, calls: sent.length, ms: times[Math.floor(times.length / 2)] ?? 0 },
      rows: rowsOf(widest.plan),
      pages: Math.max(...sent.map(({ plan }) => pagesOf(plan))),
      nodes: nodesOf(widest.plan, 0),
    };
  });
}

const loops = (node: PlanNode, count: number | undefined) => (count ?? 0) * (node['Actual Loops'] ?? 0);
const pagesOf = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);

/** Sums the rows of the nodes that read a table or an index. */
function rowsOf(node: PlanNode): number {
  const own = node['Relation Name'] && node['Node Type'] !== 'ModifyTable' ? rowsRead(node) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}

const rowsRead = (node: PlanNode) =>
  Math.round(
    loops(node, node['Actual Rows']) +
      loops(node, node['Rows Removed by Filter']) +
      loops(node, node['Rows Removed by Index Recheck']),
  );

function nodesOf(node: PlanNode, depth: number): string[] {
  const { 'Node Type': type, 'Relation Name': relation, 'Index Name': index, 'CTE Name': cte } = node;
  const name = [
    ...(node['Subplan Name'] ? [`${node['Subplan Name']}:`] : []),
    ...[type, index ? `using ${index}` : '', relation ? `on ${relation}` : '', cte ? `on ${cte}` : ''],
  ].filter(Boolean);
  const neverRan = node['Actual Loops'] === 0;
  const removed = loops(node, node['Rows Removed by Filter']);
  const facts = neverRan
    ? ['never executed']
    : [
        `rows ${Math.round(loops(node, node['Actual Rows']))}`,
        ...(removed > 0 ? [`removed ${Math.round(removed)}`] : []),
        `pages ${pagesOf(node)}`,
      ];
  const line = `${'  '.repeat(depth)}${name.join(' ')} (${facts.join(', ')})`;
  return [line, ...(node.Plans ?? []).flatMap((child) => nodesOf(child, depth + 1))];
}
