import { type Client, isGrpcServiceError } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Logger } from 'pino';
import { SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';
import { StartupError } from '../process/startup-error.ts';
import { connectionOptions, type TemporalAccess } from '../settings/connection-options.ts';
import { SEARCH_ATTRIBUTE_TYPES } from './search-attribute-types.ts';
import { tlsFault } from './tls-fault.ts';
import { whyRefused } from './why-refused.ts';

/** How long the Temporal UI shows an order after its end. */
const RETENTION = '7 days';
const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;
const GRPC_ALREADY_EXISTS = 6;
const GRPC_PERMISSION_DENIED = 7;
const CALL_DEADLINE_MS = 10_000;
const QUERY_DEADLINE_MS = 2_000;

/** A namespace, and how long to wait until it can be used. */
export interface NamespaceWait {
  access: TemporalAccess;
  namespace: string;
  timeoutMs: number;
  log: Logger;
  signal?: AbortSignal | undefined;
}

/**
 * Creates the namespace and its search attributes if they are missing, and waits until they can be used. Besides these,
 * Corridor keeps only its workflows in Temporal.
 */
export const ensureNamespace = (client: Client, wait: NamespaceWait): Promise<void> =>
  untilUsable(wait, async () => {
    await createMissing(client, wait.namespace).catch(unlessForbidden(wait.namespace));
    // A query that names an attribute fails until every part of the server knows it.
    const missing = await missingAttributes(client);
    if (missing.length > 0) throw new Error(`Temporal does not know ${missing.join(', ')} yet`);
  });

async function createMissing(client: Client, namespace: string): Promise<void> {
  await registerNamespace(client, namespace);
  await raiseRetention(client, namespace);
  await registerSearchAttributes(client, namespace);
}

const unlessForbidden =
  (namespace: string) =>
  (error: unknown): never => {
    if (codeOf(error) !== GRPC_PERMISSION_DENIED) throw error;
    throw new StartupError(
      `Temporal does not let Corridor create the namespace ${namespace} and its search attributes. Set TEMPORAL_MANAGE_NAMESPACE=false, and let the owner of Temporal create them: a start then lists the commands.`,
      { cause: error },
    );
  };

/** An operator searches for ended orders, and the repair of lost commits looks at their last state. */
const LEAST_RETENTION_MS = 24 * 3_600_000;

/** The namespace or search attributes are missing. The message lists them, with the commands that create them. */
export class IncompleteNamespace extends StartupError {}

/**
 * Checks the namespace, and creates nothing. Throws `IncompleteNamespace`, and another StartupError if Temporal refuses the
 * credentials.
 */
export const checkNamespace = (client: Client, wait: NamespaceWait): Promise<void> =>
  untilUsable(wait, async () => {
    const { namespace, log, timeoutMs } = wait;
    const describing = () => client.workflowService.describeNamespace({ namespace });
    const described = await within(client, describing, timeoutMs).catch(unlessCode(GRPC_NOT_FOUND));
    const missing = described ? await missingAttributes(client) : Object.keys(SEARCH_ATTRIBUTE_TYPES);
    if (missing.length > 0)
      throw new IncompleteNamespace(missingText(namespace, Boolean(described), missing));
    const retention = described?.config?.workflowExecutionRetentionTtl;
    if (retention && tsToMs(retention) < LEAST_RETENTION_MS)
      log.warn(
        { namespace, hours: tsToMs(retention) / 3_600_000 },
        'the namespace keeps ended workflows for less than a day: set its retention to 7 days',
      );
  });

/** Tries again until the deadline, because a server may be starting. A refusal of the key or the certificate is final. */
async function untilUsable(
  { access, timeoutMs, log, signal }: NamespaceWait,
  attempt: () => Promise<void>,
): Promise<void> {
  const giveUpAt = Date.now() + timeoutMs;
  // gRPC would report a certificate that fails only as a deadline that has passed.
  if (connectionOptions(access).tls) await requireTls(access);
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof StartupError) throw error;
      const refused = whyRefused(error);
      if (refused) throw new StartupError(refused, { cause: error });
      await requireTls(access);
      if (Date.now() > giveUpAt) throw error;
      log.debug({ err: error }, 'namespace is not usable yet');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function requireTls(access: TemporalAccess): Promise<void> {
  const fault = await tlsFault(access);
  if (fault)
    throw new StartupError(
      `TLS with Temporal at ${access.address} failed (${fault}). See TEMPORAL_TLS_… in docs/settings.md.`,
    );
}

const EXAMPLES: Record<string, string> = {
  Keyword: "'matched'",
  Int: '1',
  Datetime: "'2020-01-01T00:00:00Z'",
};

/**
 * The search attributes that cannot be used in a query, because they are missing or have another type. A managed Temporal
 * refuses calls that list them.
 */
async function missingAttributes(client: Client): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTE_TYPES)) {
    const known = await client
      .withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
        client.workflow.count(`${name} = ${EXAMPLES[type]}`),
      )
      .catch(unlessCode(GRPC_INVALID_ARGUMENT));
    if (!known) missing.push(name);
  }
  return missing;
}

function missingText(namespace: string, hasNamespace: boolean, missing: string[]): string {
  const typed = missing.map((name) => ({ name, type: SEARCH_ATTRIBUTE_TYPES[name] }));
  return [
    hasNamespace
      ? `The namespace ${namespace} lacks the search attributes ${missing.join(', ')}, or they have other types (remove those first). Create them:`
      : `Temporal has no namespace ${namespace}. Create it and its search attributes:`,
    ...(hasNamespace ? [] : [`  temporal operator namespace create --namespace ${namespace} --retention 7d`]),
    ...typed.map(
      ({ name, type }) =>
        `  temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type}`,
    ),
    'In Temporal Cloud:',
    ...(hasNamespace ? [] : [`  tcld namespace create --namespace ${namespace} --retention-days 7`]),
    `  tcld namespace search-attributes add --namespace ${namespace}${typed.map(({ name, type }) => ` --search-attribute ${name}=${type}`).join('')}`,
  ].join('\n');
}

async function registerNamespace(client: Client, namespace: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs(RETENTION);
  await ignoreExisting(client, () =>
    client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
  );
}

/** The development server's flags create a namespace that keeps ended workflows for this time. */
const DEVELOPMENT_RETENTION_MS = 24 * 3_600_000;

/** Changes nothing if the namespace was created in another way. */
async function raiseRetention(client: Client, namespace: string): Promise<void> {
  const { config } = await within(client, () => client.workflowService.describeNamespace({ namespace }));
  const retention = config?.workflowExecutionRetentionTtl;
  if (!retention || tsToMs(retention) !== DEVELOPMENT_RETENTION_MS) return;
  const workflowExecutionRetentionTtl = msToTs(RETENTION);
  await within(client, () =>
    client.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } }),
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

const ignoreExisting = (client: Client, call: () => Promise<unknown>): Promise<unknown> =>
  within(client, call).catch(unlessCode(GRPC_ALREADY_EXISTS));

const within = <T>(client: Client, call: () => Promise<T>, timeoutMs = CALL_DEADLINE_MS): Promise<T> =>
  client.withDeadline(Date.now() + Math.min(timeoutMs, CALL_DEADLINE_MS), call);

/** Throws every error but one with this code of gRPC. */
const unlessCode =
  (code: number) =>
  (error: unknown): undefined => {
    if (codeOf(error) !== code) throw error;
  };

/** The code of gRPC. The client wraps the errors of some calls. */
function codeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  const { cause } = error as { cause?: unknown };
  return cause === undefined ? undefined : codeOf(cause);
}
