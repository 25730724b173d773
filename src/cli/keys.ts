import type { z } from 'zod';
import type {
  agentKeyResponse,
  ListedAgentKey,
  rotatedWebhookSecret,
  rotateResponse,
} from '../api/resources/agent-keys/schemas.ts';
import { SCOPES } from '../domain/agent-scopes.ts';
import { withoutNulls } from '../domain/without-nulls.ts';
import { numberArgument } from './cli.ts';
import { command, fieldsOf } from './command.ts';
import { CliError } from './connection.ts';
import { changesNothing, KEY_LIMITS, nullForNone, overlapBody } from './key-limits.ts';
import { minuteUtc, secret, tableOf } from './output.ts';

const PATH = '/api/admin/agent-keys';

const LIMITS = {
  ...KEY_LIMITS,
  '--max-exposure-usd <n>': 'unsettled USD above which payments are refused; 0: no limit',
  '--scopes <list...>': `what the key may do: ${SCOPES.join(' ')}, or none for all`,
};
const OVERLAP = {
  '--overlap <duration>': { does: 'such as 24h, or 0s if the old secret has leaked', default: '24h' },
};

const keyTable = tableOf<ListedAgentKey>({
  ...{ id: 'id', name: 'name', integrator: 'integrator_name', active: 'is_active' },
  'rate limit': 'rate_limit',
  'max exposure USD': (key) => key.max_exposure_usd || 'none',
  scopes: (key) => key.scopes?.join(' ') ?? 'all',
  'expires (UTC)': 'expires_at',
  'allowed addresses': (key) => key.allowed_ips?.join(' ') ?? 'all',
  ...{ 'created (UTC)': 'created_at', 'last used (UTC)': 'last_used_at' },
});

/** A limit is removed by `none`, which is a name like any other. */
const bodyOf = ({ name, integrator, ...limits }: Record<string, unknown>) => ({
  ...fieldsOf({ name, integrator }),
  ...nullForNone(fieldsOf(limits)),
});

function changesOf(options: Record<string, unknown>): object {
  const fields = bodyOf(options);
  if (changesNothing(fields)) throw new CliError('Nothing to set: see "keys set --help".');
  return fields;
}

/** `keys`: the agents' keys. */
export const KEY_COMMANDS = [
  command('keys list', 'all keys, newest first', { call: `GET ${PATH}`, print: keyTable }),
  command('keys create', 'issue a key, and show its secret once', {
    call: `POST ${PATH}`,
    options: { ...LIMITS, '--name <name>!': 'its name', '--integrator <name>': 'its owner' },
    fields: (options) => withoutNulls(bodyOf(options)),
    print: ({ warning, ...shown }: z.output<typeof agentKeyResponse>) => secret(shown, warning),
  }),
  command(
    'keys revoke <id>',
    'deactivate a key for good, and end its orders for which no fiat can be on its way',
    {
      call: `DELETE ${PATH}/:id`,
      options: { '--reason <text>': 'why, for the audit' },
      print: (_, { id }) => `Agent key ${id} is revoked.`,
    },
  ),
  command(
    'keys rotate <id>',
    'give a key a new secret, shown once; the old one stays valid for the overlap',
    {
      call: `POST ${PATH}/:id/rotate`,
      options: OVERLAP,
      fields: overlapBody,
      print: ({ api_key, warning, old_key_expires_at }: z.output<typeof rotateResponse>, { id }) =>
        secret({ id, api_key, 'old secret ends': minuteUtc(old_key_expires_at) }, warning),
    },
  ),
  command(
    'keys rotate-webhook-secret <id>',
    'give a key a new webhook secret, shown once; the old one also signs for the overlap',
    {
      call: `POST ${PATH}/:id/rotate-webhook-secret`,
      options: OVERLAP,
      fields: overlapBody,
      print: (
        { webhook_secret, warning, old_secret_expires_at }: z.output<typeof rotatedWebhookSecret>,
        { id },
      ) => secret({ id, webhook_secret, 'old secret ends': minuteUtc(old_secret_expires_at) }, warning),
    },
  ),
  command('keys set <id>', 'rename a key, or change its limits', {
    call: `POST ${PATH}/:id`,
    options: {
      ...LIMITS,
      '--name <name>': 'its name',
      '--integrator <name>': 'its owner',
      '--rate-limit <n>': { does: 'requests per minute, or none for the default', parse: limitArgument },
    },
    fields: changesOf,
    print: (key: ListedAgentKey) => keyTable([key]),
  }),
];

/** A number, or none. (Not null, which commander would turn into an empty text.) */
function limitArgument(text: string): number | 'none' {
  return text === 'none' ? text : numberArgument(text);
}
