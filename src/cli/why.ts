import { NO_DATABASE_URL } from '../db/why-unusable.ts';
import type { Unanswered } from '../operations/diagnosis/blockers.ts';
import type { Explanation } from '../operations/diagnosis/explain-order.ts';
import type { OrderCase } from '../operations/diagnosis/order-case.ts';
import type { OrderDescription } from '../temporal/describe-order.ts';
import { type Cli, DATABASE } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';
import { withOwnDatabase } from './own-database.ts';
import { noAnswerOf, noDatabase, noTemporal, type OwnServers, ownServers } from './own-servers.ts';
import { explanationText } from './why-text.ts';

/**
 * `why`: what an order waits for, and what blocks it. It queries the database and Temporal directly. If one of them is
 * unavailable, it says so and shows what the other one knows.
 *
 * It loads Temporal's client only when it runs, because loading takes longer than most commands.
 */
export const WHY_COMMANDS = [
  command('why <id>', 'explain what an order waits for: who acts next, and which part fails, if any', {
    call: explain,
    args: { '<id>': 'the order' },
    options: DATABASE,
  }),
];

async function explain(
  { env, show }: Cli,
  { id, databaseUrl }: { id: number; databaseUrl?: string },
): Promise<void> {
  const found = await ownServers(env);
  const servers = { ...found, databaseUrl: databaseUrl ?? found.databaseUrl };
  const [known, described] = await Promise.all([askDatabase(servers, id), askTemporal(servers, id)]);
  if (known && 'why' in known && 'why' in described)
    throw new CliError(`Neither the database nor Temporal can be asked. ${known.why} ${described.why}`);
  if (!known) throw new CliError(`There is no order ${id}.`);
  const { explainOrder } = await import('../operations/diagnosis/explain-order.ts');
  const { orderWorkflowId } = await import('../../workflows/messages.ts');
  const ui = servers.workflowsUrl && `${servers.workflowsUrl}/${orderWorkflowId(id)}`;
  show<Explanation>(explainOrder(id, known, described), (it) => explanationText(it, ui));
}

async function askDatabase(
  { databaseUrl: url, config }: OwnServers,
  id: number,
): Promise<OrderCase | Unanswered | undefined> {
  if (!url) return { why: noDatabase(config) };
  if (!URL.canParse(url)) throw new CliError(NO_DATABASE_URL);
  const { orderCase } = await import('../operations/diagnosis/order-case.ts');
  return withOwnDatabase(url, (db) => orderCase(db, id, config.strikeCoolDown)).catch((error) => ({
    why: error.message,
  }));
}

async function askTemporal(
  { temporalAddress: address, config }: OwnServers,
  id: number,
): Promise<OrderDescription | Unanswered> {
  if (!address) return { why: noTemporal(config) };
  const { createOrderGateway } = await import('../temporal/gateway.ts');
  const { createLogger } = await import('../process/log.ts');
  const { temporalNamespace: namespace, temporalAccess } = config;
  const gateway = createOrderGateway({ address, ...temporalAccess, namespace, log: createLogger('silent') });
  try {
    return await gateway.describe(id);
  } catch (error) {
    return { why: noAnswerOf(address, namespace, error) };
  } finally {
    await gateway.close();
  }
}
