import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { RecipientResolver } from '../../adapters/ports.ts';
import { RecipientCheck } from '../../db/entities/recipient-check.ts';
import type { Database } from '../../db/orm.ts';
import type { Delivery } from '../../domain/delivery.ts';
import { DomainError } from '../../domain/errors.ts';
import { nameWords } from '../../domain/name-match.ts';
import {
  type BoundRecipientCheck,
  judgeRecipient,
  type RecipientVerdict,
} from '../../domain/recipient-check.ts';

/** How long a payment may name a check, in milliseconds, because account holders and their names change. */
const VALID_MS = 3_600_000;

/** A recipient and its corridor. */
export type CheckedDelivery = Omit<Delivery, 'corridor_method'> & { currency: string };

/** The agent's view of a check. */
export interface RecipientCheckView extends RecipientVerdict {
  recipient_check_id: string;
  expires_at: string;
}

/** Checks of account holders. */
export interface RecipientChecks {
  /**
   * Asks the installation's resolver, compares the names and stores the result. `name`: the name that the payer
   * expects.
   */
  check: (
    agentKeyId: number,
    delivery: CheckedDelivery,
    name: string | undefined,
  ) => Promise<RecipientCheckView>;
  /**
   * Finds the check that a payment names. Refuses a check with `bad_recipient_check` if it has expired or belongs to
   * another agent, corridor, recipient or name. Any number of payments may name one check.
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
  /** Null: the installation has no resolver. */
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
        throw refusal('This recipient check is for another recipient, currency, method or institution');
      const { name_hash, result, name_masked } = check;
      if (name_hash && recipientName !== undefined && !name_hash.equals(hashOf(id, nameKey(recipientName))))
        throw refusal('This recipient check is for another name than recipient_name');
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
 * A text that is the same for all spellings of one recipient, and different for different recipients. The fields have
 * the corridor's own form; `recipient` is the text that the agent typed, so it counts only if there are no fields.
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

/** Each check has a different hash of the same text, so that the table does not reveal equal recipients. */
const hashOf = (id: string, text: string): Buffer => createHash('sha256').update(`${id} ${text}`).digest();
