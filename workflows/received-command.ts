import type { Notice, NoticeTrigger, SignalCommand, SignalTrigger } from '../src/domain/order-commands.ts';
import type { Envelope } from './messages.ts';

/**
 * Reads the message of a signal that carries a command or a notice. Anybody who reaches Temporal can send one, and an error
 * here would stop the order. So a message of another shape becomes one without a signature, which the worker refuses and
 * reports.
 */
export function receivedCommand<Carried extends SignalCommand | Notice = SignalCommand>(
  trigger: SignalTrigger | NoticeTrigger,
  message: unknown,
): Omit<Envelope<Carried>, 'trace'> {
  const { requestId, actor, command, signature, forVersion } = isObject(message) ? message : {};
  const isWhole =
    isShortText(requestId) &&
    isShortText(actor) &&
    isShortText(signature) &&
    (forVersion === undefined || typeof forVersion === 'number') &&
    isCarried<Carried>(trigger, command);
  if (isWhole)
    return { requestId, actor, command, signature, ...(forVersion !== undefined && { forVersion }) };
  return { requestId: '', actor: 'nobody', command: { trigger } as Carried, signature: '' };
}

/** The request that a signal belongs to. */
export const traceOf = (message: unknown): string | undefined =>
  isObject(message) && isShortText(message.trace) ? message.trace : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Temporal limits the length of the summaries that show them. */
const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= 100;

/** The signal's name says what it carries, and neither commands nor notices have nested values. */
const isCarried = <Carried>(trigger: string, value: unknown): value is Carried =>
  isObject(value) && value.trigger === trigger && !Object.values(value).some(isObject);
