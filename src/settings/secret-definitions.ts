import { z } from 'zod';
import { nameAt, setting } from './setting.ts';
import { secret, webhookSecret } from './values.ts';

/** In development the secrets are optional: `secrets.ts` generates and keeps them. */
const secretSettings = z.object({
  adminApiKey: setting('ADMIN_API_KEY', secret.optional()),
  webhookSecret: setting('WEBHOOK_SECRET', webhookSecret.optional()),
  /** Signs the commands that the API sends to workers through Temporal. */
  commandSecret: setting('COMMAND_SECRET', secret.optional()),
  /** Valid beside the first ones during a rotation. */
  secondAdminApiKey: setting('ADMIN_API_KEY_SECOND', secret.optional()),
  secondWebhookSecret: setting('WEBHOOK_SECRET_SECOND', webhookSecret.optional()),
  secondCommandSecret: setting('COMMAND_SECRET_SECOND', secret.optional()),
});

/** Each secret opens something else: who may verify webhooks must not be an admin. */
export const secrets = secretSettings.superRefine((given, ctx) => {
  const keys = Object.keys(given) as (keyof typeof given)[];
  for (const [i, key] of keys.entries()) {
    const twin = keys.slice(0, i).find((other) => given[other] !== undefined && given[other] === given[key]);
    if (twin)
      ctx.addIssue(
        `${nameAt(secretSettings, [key])} and ${nameAt(secretSettings, [twin])} must be different`,
      );
  }
});
