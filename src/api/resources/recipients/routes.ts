import { createHash } from 'node:crypto';
import { hitRateWindow } from '../../../http/access/rate-window.ts';
import { HttpError } from '../../../http/errors.ts';
import { accountOf, resolveDelivery } from '../../../market/corridors/resolve-delivery.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { verifyRecipientRequest, verifyRecipientResponse } from './schemas.ts';

/** Names that an agent may try for one recipient in an hour. More would let it guess the holder's name word by word. */
const MOST_TRIES = 10;
const TRIES_WINDOW_SECONDS = 3_600;

/** Checks of account holders. */
export function recipientRoutes({ db, delivery, recipientChecks, settings }: ApiDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/recipients/verify',
      auth: 'agent',
      scope: 'pay',
      summary: 'Check the name of a recipient’s account holder',
      description: 'Compares the name that the payer expects with the one that the operator’s resolver has.',
      answers: { 201: verifyRecipientResponse },
      refuses: [],
      keyLimit: { name: 'verify-recipient', max: settings.limits.recipientChecks },
      body: verifyRecipientRequest,
      handle: async ({ principal, body }) => {
        const { currency, name, ...rest } = body;
        const delivered = { currency, ...resolveDelivery(delivery, { ...rest, currency, amount: null }) };
        const account = createHash('sha256').update(accountOf(delivery, delivered)).digest('base64url');
        await countTry(`verify-recipient:${principal.id}:${account}`);
        return { status: 201, body: await recipientChecks.check(principal.id, delivered, name) };
      },
    }),
  ];

  async function countTry(key: string): Promise<void> {
    const { within, resetSeconds } = await hitRateWindow(db, key, MOST_TRIES, TRIES_WINDOW_SECONDS);
    if (!within)
      throw new HttpError('rate_limited', 'Too many checks of this recipient: use an earlier one', {
        retryAfter: resetSeconds,
      });
  }
}
