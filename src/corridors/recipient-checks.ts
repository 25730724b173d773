import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { RecipientResolver } from '../adapters/ports.ts';
import { RecipientCheck } from '../db/entities/recipient-check.ts';
import type { Database } from '../db/orm.ts';
import type { Delivery } from '../domain/delivery.ts';
import { DomainError } from '../domain/errors.ts';
import { nameWords } from '../domain/name-match.ts';
import {
  type BoundRecipientCheck,
  judgeRecipient,
  type RecipientVerdict,
} from '../domain/recipient-check.ts';

/** How long a payment may name a check, in milliseconds: holders of accounts change, and so do their names. */
const VALID_MS = 3_600_000;

/** A recipient, and the corridor through which the recipient is reached. */
export type CheckedDelivery = Omit<Delivery, 'corridor_method'> & { currency: string };

/** A check as its agent sees it. */
export interface RecipientCheckView extends RecipientVerdict {
  recipient_check_id: string;
  expires_at: string;
}

/** Checks of whose account a recipient is. */
export interface RecipientChecks {
  /** Asks the installation's resolver, compares the names and keeps the result. `name`: the one that the payer expects. */
  check: (
    agentKeyId: number,
    delivery: CheckedDelivery,
    name: string | undefined,
  ) => Promise<RecipientCheckView>;
  /**
   * The check that a payment names. Refuses with `bad_recipient_check` one that has expired, is another agent's, or is of
   * another corridor, recipient or name. Any number of payments may name one check.
   */
  find: (
    agentKeyId: number,
    id: string,
    delivery: CheckedDelivery,
    recipientName: string | undefined,
  ) => Promise<BoundRecipientCheck>;
}

export interface RecipientCheckDeps {
  db: Database;
  /** Null: the installation has none. */
  resolve: RecipientResolver | null;
  log: Logger;
}

export function createRecipientChecks({ db, resolve, log }: RecipientCheckDeps): RecipientChecks {
  return {
    check: async (agent_key_id, delivery, name) => {
      const id = `rc_${randomBytes(24).toString('hex')}`;
      const resolved = resolve ? await resolve(id, questionOf(delivery)) : null;
      if (resolved?.kind === 'unavailable')
        log.warn({ reason: resolved.reason }, 'the recipient resolver gave no usable answer');
      const verdict = judgeRecipient(name, resolved);
      const check = {
        ...{ id, agent_key_id, ...verdict },
        currency: delivery.currency,
        method: delivery.method,
        recipient_hash: hashOf(id, recipientKey(delivery)),
        name_hash: name === undefined ? null : hashOf(id, nameKey(name)),
        expires_at: new Date(Date.now() + VALID_MS),
      };
      await db.em().insert(RecipientCheck, check);
      return { recipient_check_id: id, ...verdict, expires_at: check.expires_at.toISOString() };
    },

    find: async (agent_key_id, id, delivery, recipientName) => {
      const check = await db.em().findOne(RecipientCheck, { id, agent_key_id });
      if (!check) throw refusal('Unknown recipient_check_id');
      if (check.expires_at.getTime() <= Date.now())
        throw refusal('This recipient check has expired: ask for a new one');
      if (!check.recipient_hash.equals(hashOf(id, recipientKey(delivery))))
        throw refusal('This recipient check is of another recipient, currency, method or institution');
      const { name_hash, result, name_masked } = check;
      if (name_hash && recipientName !== undefined && !name_hash.equals(hashOf(id, nameKey(recipientName))))
        throw refusal('This recipient check is of another name than recipient_name');
      return {
        recipient_check_id: id,
        result,
        name_masked: name_masked ?? null,
        checked_at: check.created_at.toISOString(),
      };
    },
  };
}

const refusal = (text: string): DomainError => new DomainError('bad_recipient_check', text);

const questionOf = ({ currency, method, institution, recipient, recipient_details }: CheckedDelivery) => ({
  ...{ currency, method, institution, recipient, recipient_details },
});

/**
 * A text that is the same for two spellings of one recipient, and different for different ones. The fields have the
 * corridor's own form; `recipient` is what the agent typed, so it counts only without them.
 */
const recipientKey = ({
  currency,
  method,
  institution,
  recipient,
  recipient_details,
}: CheckedDelivery): string =>
  JSON.stringify([
    ...[currency, method, institution],
    recipient_details ? Object.entries(recipient_details).sort(([a], [b]) => (a < b ? -1 : 1)) : recipient,
  ]);

const nameKey = (name: string): string => nameWords(name).sort().join(' ');

/** Each check has another hash of the same text, so that equal recipients do not show. */
const hashOf = (id: string, text: string): Buffer => createHash('sha256').update(`${id} ${text}`).digest();
