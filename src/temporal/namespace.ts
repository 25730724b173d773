import { type Client, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Logger } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';

/** How long the Temporal UI shows an order after its end. */
const RETENTION = '7 days';
const GRPC_ALREADY_EXISTS = 6;
const CALL_DEADLINE_MS = 10_000;
const QUERY_DEADLINE_MS = 2_000;

/**
 * Creates the namespace and its search attributes if they are missing, and waits until they can be used. Besides these,
 * Corridor keeps only its workflows in Temporal.
 */
export async function ensureNamespace(
  client: Client,
  namespace: string,
  timeoutMs: number,
  log: Logger,
  signal?: AbortSignal,
): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    try {
      await registerNamespace(client, namespace);
      await registerSearchAttributes(client, namespace);
      // A query that names an attribute fails until every part of the server knows it.
      await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
        client.workflow.count(
          `OrderStatus = 'matched' AND OrderVersion = 1 AND DueAt > '2020-01-01T00:00:00Z'`,
        ),
      );
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (Date.now() > giveUpAt) throw error;
      log.debug({ err: error }, 'namespace is not usable yet');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function registerNamespace(client: Client, namespace: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs(RETENTION);
  await ignoreExisting(client, () =>
    client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
  );
}

async function registerSearchAttributes(client: Client, namespace: string): Promise<void> {
  const types = proto.temporal.api.enums.v1.IndexedValueType;
  // One at a time: the server refuses a request for several attributes if one of them exists.
  for (const { name, type } of Object.values(SEARCH_ATTRIBUTES)) {
    const searchAttributes = { [name]: types[`INDEXED_VALUE_TYPE_${type}`] };
    await ignoreExisting(client, () =>
      client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  }
}

async function ignoreExisting(client: Client, call: () => Promise<unknown>): Promise<void> {
  await client.withDeadline(Date.now() + CALL_DEADLINE_MS, call).catch((error) => {
    if (!(isGrpcServiceError(error) && error.code === GRPC_ALREADY_EXISTS)) throw error;
  });
}
