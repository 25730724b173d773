import type { Command } from 'commander';
import type { z } from 'zod';
import type {
  agentKeyResponse,
  ListedAgentKey,
  rotatedWebhookSecret,
  rotateResponse,
} from '../api/resources/agent-keys/schemas.ts';
import { SCOPES } from '../domain/agent-scopes.ts';
import { withoutNulls } from '../domain/without-nulls.ts';
import { type Cli, idArgument, type Limit, limitOption, numberArgument, pathWith } from './cli.ts';
import { CliError } from './connection.ts';
import { type KeyLimitOptions, keyLimitsOf, listOrNone, withKeyLimits } from './key-limits.ts';
import { facts, minute, table } from './output.ts';

const PATH = '/api/admin/agent-keys';

const MAX_EXPOSURE = [
  '--max-exposure-usd <n>',
  'unsettled USD above which payments are refused; 0: no limit',
  numberArgument,
] as const;

const withLimits = (command: Command): Command =>
  withKeyLimits(command)
    .option(...MAX_EXPOSURE)
    .option('--scopes <list...>', `what the key may do: ${SCOPES.join(' ')}, or none for all`);

const OVERLAP = ['--overlap <duration>', 'such as 24h, or 0s if the old secret has leaked', '24h'] as const;
const overlapBody = (overlap: string) => ({ overlap: /^\d+$/.test(overlap) ? Number(overlap) : overlap });

interface CreateOptions extends KeyLimitOptions {
  name?: string;
  integrator?: string;
  maxExposureUsd?: number;
  scopes?: string[];
}
interface SetOptions extends CreateOptions {
  rateLimit?: Limit;
}

/** `keys`: the agents' keys. */
export function addKeyCommands(program: Command, { call, show }: Cli): void {
  const keys = program.command('keys').description('agent keys');

  keys
    .command('list')
    .description('all keys, newest first')
    .action(async () => show(await call<ListedAgentKey[]>('GET', PATH), keyTable));

  withLimits(keys.command('create'))
    .description('issue a key, and show its secret once')
    .requiredOption('--name <name>', 'its name')
    .option('--integrator <name>', 'its owner')
    .action(async (options: CreateOptions) => {
      const made = await call<z.output<typeof agentKeyResponse>>('POST', PATH, withoutNulls(bodyOf(options)));
      show(made, ({ warning, ...shown }) => `${facts(shown)}\n\n${warning}.`);
    });

  keys
    .command('revoke')
    .description('deactivate a key for good, and end its orders for which no fiat can be on its way')
    .argument('<id>', 'the key', idArgument)
    .option('--reason <text>', 'why, for the audit')
    .action(async (id: number, { reason }: { reason?: string }) => {
      const done = await call('DELETE', pathWith(`${PATH}/${id}`, { reason }));
      show(done, () => `Agent key ${id} is revoked.`);
    });

  keys
    .command('rotate')
    .description('give a key a new secret, shown once; the old one stays valid for the overlap')
    .argument('<id>', 'the key', idArgument)
    .option(...OVERLAP)
    .action(async (id: number, { overlap }: { overlap: string }) => {
      const path = `${PATH}/${id}/rotate`;
      const made = await call<z.output<typeof rotateResponse>>('POST', path, overlapBody(overlap));
      show(made, ({ api_key, warning, old_key_expires_at }) => {
        const shown = facts({ id, api_key, 'old secret ends': `${minute(old_key_expires_at)} UTC` });
        return `${shown}\n\n${warning}.`;
      });
    });

  keys
    .command('rotate-webhook-secret')
    .description('give a key a new webhook secret, shown once; the old one also signs for the overlap')
    .argument('<id>', 'the key', idArgument)
    .option(...OVERLAP)
    .action(async (id: number, { overlap }: { overlap: string }) => {
      const path = `${PATH}/${id}/rotate-webhook-secret`;
      const made = await call<z.output<typeof rotatedWebhookSecret>>('POST', path, overlapBody(overlap));
      show(made, ({ webhook_secret, warning, old_secret_expires_at }) => {
        const ends = `${minute(old_secret_expires_at)} UTC`;
        return `${facts({ id, webhook_secret, 'old secret ends': ends })}\n\n${warning}.`;
      });
    });

  withLimits(keys.command('set'))
    .description('rename a key, or change its limits')
    .argument('<id>', 'the key', idArgument)
    .option('--name <name>', 'its name')
    .option('--integrator <name>', 'its owner')
    .option('--rate-limit <n>', 'requests per minute, or none for the default', limitOption)
    .action(async (id: number, { rateLimit, ...options }: SetOptions) => {
      const body = { ...bodyOf(options), rate_limit: rateLimit === 'none' ? null : rateLimit };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new CliError('Nothing to set: see "keys set --help".');
      }
      show(await call<ListedAgentKey>('POST', `${PATH}/${id}`, body), (key) => keyTable([key]));
    });
}

const bodyOf = ({ name, integrator, maxExposureUsd, scopes, ...limits }: CreateOptions) => ({
  name,
  integrator_name: integrator,
  max_exposure_usd: maxExposureUsd,
  scopes: listOrNone(scopes),
  ...keyLimitsOf(limits),
});

const keyTable = (keys: ListedAgentKey[]): string =>
  table(keys, {
    id: (key) => key.id,
    name: (key) => key.name,
    integrator: (key) => key.integrator_name,
    active: (key) => key.is_active,
    'rate limit': (key) => key.rate_limit,
    'max exposure USD': (key) => key.max_exposure_usd || 'none',
    scopes: (key) => key.scopes?.join(' ') ?? 'all',
    'expires (UTC)': (key) => minute(key.expires_at),
    'allowed addresses': (key) => key.allowed_ips?.join(' ') ?? 'all',
    'created (UTC)': (key) => minute(key.created_at),
    'last used (UTC)': (key) => minute(key.last_used_at),
  });
