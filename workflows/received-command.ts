import type { SignalCommand, SignalTrigger } from '../src/domain/order-commands.ts';
import type { Envelope } from './messages.ts';

/**
 * Reads the message of a command's signal. Anybody who reaches Temporal can send one, and an error here would stop the
 * order. So a malformed message becomes an unsigned command, which the step refuses and reports.
 */
export function receivedCommand(trigger: SignalTrigger, message: unknown): Omit<Envelope, 'trace'> {
  const { requestId, actor, command, signature } = isObject(message) ? message : {};
  const isWhole =
    isShortText(requestId) && isShortText(actor) && isShortText(signature) && isCommand(trigger, command);
  if (isWhole) return { requestId, actor, command, signature };
  return { requestId: '', actor: 'nobody', command: { trigger } as SignalCommand, signature: '' };
}

/** The request that a signal belongs to. */
export const traceOf = (message: unknown): string | undefined =>
  isObject(message) && isShortText(message.trace) ? message.trace : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Temporal limits the length of the summaries that show them. */
const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= 100;

/** The signal's name says which command it carries, and a command has no nested values. */
const isCommand = (trigger: SignalTrigger, value: unknown): value is SignalCommand =>
  isObject(value) && value.trigger === trigger && !Object.values(value).some(isObject);
