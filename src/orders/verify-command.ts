import type { Logger } from 'pino';
import { NOTICE_TRIGGERS, OWN_TRIGGERS, SIGNAL_TRIGGERS } from '../domain/order-commands.ts';
import type { StepInput } from '../domain/order-steps.ts';
import { type SignatureFault, type SignedCommand, signatureFault } from '../temporal/command-signature.ts';
import { hashedUuid } from './hashed-uuid.ts';

/**
 * Whether Corridor has signed the command or notice, which anybody who reaches Temporal may have written. Reports one that it has
 * not signed.
 */
export type CommandVerifier = (received: SignedCommand) => boolean;

export interface VerifierDeps {
  /** Any of these secrets is accepted. There are two during a rotation. */
  secrets: readonly string[];
  log: Logger;
  count: (trigger: string, fault: SignatureFault) => void;
}

export const createCommandVerifier =
  ({ secrets, log, count }: VerifierDeps): CommandVerifier =>
  (received) => {
    const fault = signatureFault(secrets, received);
    if (!fault) return true;
    const trigger = KNOWN_TRIGGERS.find((known) => known === received.command.trigger) ?? 'unknown';
    count(trigger, fault);
    log.warn(
      { orderId: received.orderId, trigger, signature: fault },
      'refused a command that the API has not signed: check who reaches Temporal, and that API and workers have the same COMMAND_SECRET',
    );
    return false;
  };

const KNOWN_TRIGGERS: readonly string[] = [...SIGNAL_TRIGGERS, ...NOTICE_TRIGGERS];

/** Whether a workflow may send the command to itself. Such commands are not signed: their steps ask the database. */
export const isOwnCommand = ({ command }: Pick<SignedCommand, 'command'>): boolean =>
  OWN_TRIGGERS.some((own) => own === command.trigger);

/**
 * The id under which the outcome of a workflow's own command is recorded. It depends on the command and on the state that
 * the workflow decided on. The id that the workflow drew is not enough: if a worker loses its task after the step's
 * commit, the workflow decides again, perhaps otherwise, and a later command then draws the same id. It would find the
 * outcome of the first and be lost.
 *
 * It is a hashed UUID, which no id of the API equals, so no such outcome can answer a request of the API.
 */
export const ownRequestId = ({ requestId, orderId, command, state }: StepInput): string =>
  hashedUuid([requestId, orderId, state.version, state.status, command]);
