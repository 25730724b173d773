import type { Command } from 'commander';
import { orderWorkflowId } from '../../workflows/messages.ts';
import type { OrderCase } from '../db/queries/order-case.ts';
import { NO_DATABASE_URL, whyUnusable } from '../db/why-unusable.ts';
import { createLogger } from '../log.ts';
import { explainOrder, type Unanswered } from '../orders/explain-order.ts';
import type { WorkflowLook } from '../orders/workflow-look.ts';
import { type Cli, idArgument } from './cli.ts';
import { CliError } from './connection.ts';
import { noAnswerOf, noDatabase, noTemporal, type OwnServers, ownServers } from './own-servers.ts';
import { explanationText } from './why-text.ts';

/**
 * `why`: what an order waits for, and what is in its way. Asks the database and Temporal themselves: each of them, the
 * API and the workers may be away, and then it says so and tells what the other knows.
 */
export function addWhyCommand(program: Command, { show }: Cli): void {
  program
    .command('why')
    .description('why an order stands where it stands: who acts next, and which part fails, if any')
    .argument('<id>', 'the order', idArgument)
    .option(
      '--database-url <url>',
      'the database (default: DATABASE_URL, or that of the Corridor in DATA_DIR)',
    )
    .action(async (id: number, { databaseUrl }: { databaseUrl?: string }) => {
      const found = await ownServers(process.env);
      const servers = { ...found, databaseUrl: databaseUrl ?? found.databaseUrl };
      const [known, look] = await Promise.all([askDatabase(servers, id), askTemporal(servers, id)]);
      if ('why' in known && 'why' in look)
        throw new CliError(`Nobody can be asked. ${known.why} ${look.why}`);
      const explanation = explainOrder(id, known, look);
      if (!explanation) throw new CliError(`There is no order ${id}.`);
      const ui = servers.workflowsUrl && `${servers.workflowsUrl}/${orderWorkflowId(id)}`;
      show(explanation, (it) => explanationText(it, ui));
    });
}

async function askDatabase(
  { databaseUrl: url, config }: OwnServers,
  id: number,
): Promise<OrderCase | Unanswered> {
  if (!url) return { why: noDatabase(config) };
  if (!URL.canParse(url)) throw new CliError(NO_DATABASE_URL);
  // Loaded here, because it takes longer than all that the other commands do.
  const { openDatabase } = await import('../db/orm.ts');
  const { orderCase } = await import('../db/queries/order-case.ts');
  const db = await openDatabase({ url, poolSize: 1, debug: () => undefined });
  try {
    return await orderCase(db, id);
  } catch (error) {
    return { why: whyUnusable(error as { code?: string; message: string }, url) };
  } finally {
    await db.close();
  }
}

async function askTemporal(
  { temporalAddress: address, config }: OwnServers,
  id: number,
): Promise<WorkflowLook | Unanswered> {
  if (!address) return { why: noTemporal(config) };
  const { createOrderGateway } = await import('../orders/gateway.ts');
  const namespace = config.temporalNamespace;
  const gateway = createOrderGateway({ address, namespace, log: createLogger('silent') });
  try {
    return await gateway.look(id);
  } catch (error) {
    return { why: noAnswerOf(address, namespace, error) };
  } finally {
    await gateway.close();
  }
}
