import pg from 'pg';

/** What PostgreSQL did for a statement that Corridor sent, the last time that it was sent while this looked. */
export interface StatementPlan {
  /** The statement, on one line. */
  text: string;
  /** How often it was sent. */
  calls: number;
  /** Milliseconds within PostgreSQL: the middle one of all calls. */
  ms: number;
  /** Rows that were looked at, in tables and indexes, whether or not they were wanted; the most of all calls. */
  rows: number;
  /** Pages of 8 KB that were touched; the most of all calls. */
  pages: number;
  /** The nodes, one line each, indented by their depth, of the call that looked at the most rows. */
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

/** What `auto_explain` writes to the server's log for each statement of the database. */
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
 * Has PostgreSQL write down the plan of every statement that connections made during `work` send to a database: the
 * plans that Corridor has in truth, those that are kept for prepared statements among them. Of an embedded server alone,
 * whose log stands in its data folder.
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
    return together(entriesOf(rows[0]?.log ?? ''));
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
    // What a function of ours does within a statement has no text, and is in that statement's plan.
    if (text === '') continue;
    entries.push({ ms: Number(ms), text: withoutValues(text.replace(/\s+/g, ' ').trim()), plan });
  }
  return entries;
}

/** The ORM writes values into its statements; keys are among them. */
const withoutValues = (text: string) =>
  text.startsWith('select "') ? text.replace(/E?'[^']*'/g, '?') : text;

function together(entries: Logged[]): StatementPlan[] {
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

/** Those of the nodes that read a table or an index. */
function rowsOf(node: PlanNode): number {
  const own = node['Relation Name'] && node['Node Type'] !== 'ModifyTable' ? looked(node) : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}

const looked = (node: PlanNode) =>
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
  const ran = node['Actual Loops'] === 0;
  const removed = loops(node, node['Rows Removed by Filter']);
  const facts = ran
    ? ['never executed']
    : [
        `rows ${Math.round(loops(node, node['Actual Rows']))}`,
        ...(removed > 0 ? [`removed ${Math.round(removed)}`] : []),
        `pages ${pagesOf(node)}`,
      ];
  const line = `${'  '.repeat(depth)}${name.join(' ')} (${facts.join(', ')})`;
  return [line, ...(node.Plans ?? []).flatMap((child) => nodesOf(child, depth + 1))];
}
