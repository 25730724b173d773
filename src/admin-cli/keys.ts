import type { Command } from 'commander';
import type { z } from 'zod';
import type { agentKeyResponse, ListedAgentKey, rotateResponse } from '../contract/admin.ts';
import { type Cli, idArgument, type Limit, limitOption } from './cli.ts';
import { CliError } from './connection.ts';
import { facts, minute, table } from './output.ts';

const PATH = '/api/admin/agent-keys';

interface NameOptions {
  name?: string;
  integrator?: string;
}
interface SetOptions extends NameOptions {
  rateLimit?: Limit;
  maxExposureUsd?: Limit;
}

/** `keys`: what agents authenticate with. */
export function addKeyCommands(program: Command, { call, show }: Cli): void {
  const keys = program.command('keys').description('agent keys');

  keys
    .command('list')
    .description('all keys, newest first')
    .action(async () => show(await call<ListedAgentKey[]>('GET', PATH), keyTable));

  keys
    .command('create')
    .description('issue a key; its secret is shown this once')
    .requiredOption('--name <name>', 'what to call it')
    .option('--integrator <name>', 'whose it is')
    .action(async ({ name, integrator }: NameOptions) => {
      const body = { name, integrator_name: integrator };
      const made = await call<z.output<typeof agentKeyResponse>>('POST', PATH, body);
      show(made, ({ id, api_key, warning }) => `${facts({ id, api_key })}\n\n${warning}.`);
    });

  keys
    .command('revoke')
    .description('deactivate a key, and its old secret if it has been rotated; for good')
    .argument('<id>', 'the key', idArgument)
    .action(async (id: number) => {
      const done = await call('DELETE', `${PATH}/${id}`);
      show(done, () => `Agent key ${id} is revoked.`);
    });

  keys
    .command('rotate')
    .description('give a key a new secret, shown this once; the old one goes on for the overlap')
    .argument('<id>', 'the key', idArgument)
    .option('--overlap <duration>', 'such as 24h, or 0s when the old secret has leaked', '24h')
    .action(async (id: number, { overlap }: { overlap: string }) => {
      const body = { overlap: /^\d+$/.test(overlap) ? Number(overlap) : overlap };
      const made = await call<z.output<typeof rotateResponse>>('POST', `${PATH}/${id}/rotate`, body);
      show(made, ({ api_key, warning, old_key_expires_at }) => {
        const shown = facts({ id, api_key, 'old secret ends': `${minute(old_key_expires_at)} UTC` });
        return `${shown}\n\n${warning}.`;
      });
    });

  keys
    .command('set')
    .description('rename a key, or change its limits')
    .argument('<id>', 'the key', idArgument)
    .option('--name <name>', 'what to call it')
    .option('--integrator <name>', 'whose it is')
    .option('--rate-limit <n>', 'requests per minute, or none', limitOption)
    .option('--max-exposure-usd <n>', 'unsettled USD above which no payment is taken, or none', limitOption)
    .action(async (id: number, { name, integrator, rateLimit, maxExposureUsd }: SetOptions) => {
      const body = {
        name,
        integrator_name: integrator,
        rate_limit: rateLimit === 'none' ? null : rateLimit,
        max_exposure_usd: maxExposureUsd === 'none' ? null : maxExposureUsd,
      };
      if (Object.values(body).every((value) => value === undefined)) {
        throw new CliError('Nothing to set: see "keys set --help".');
      }
      show(await call<ListedAgentKey>('POST', `${PATH}/${id}`, body), (key) => keyTable([key]));
    });
}

const keyTable = (keys: ListedAgentKey[]): string =>
  table(keys, {
    id: (key) => key.id,
    name: (key) => key.name,
    integrator: (key) => key.integrator_name,
    active: (key) => key.is_active,
    'rate limit': (key) => key.rate_limit,
    'max exposure USD': (key) => key.max_exposure_usd,
    'created (UTC)': (key) => minute(key.created_at),
    'last used (UTC)': (key) => minute(key.last_used_at),
  });
