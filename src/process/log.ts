import { type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';

/** Fields that must never reach a log, down to three levels. The code does not log them; this is the second safeguard. */
const SECRETS = new Set([
  'authorization',
  'api_key',
  'lp_key',
  'webhook_secret',
  'recipient',
  'recipient_name',
  'recipient_details',
  'mpesa_phone',
  'callback_url',
  'key_hash',
  'previous_key_hash',
  'older_key_hash',
  'parameters',
  'values',
]);
const LEVELS = 3;
const REDACTED = '[redacted]';
/** Also hide the secrets among the fields that all lines of a child logger have. */
const HIDING = Object.fromEntries([...SECRETS].map((name) => [name, () => REDACTED]));

/**
 * Logs JSON lines, or lines for people in a terminal. Errors appear without the values of SQL statements. `fieldsOf` returns
 * further fields for each line.
 */
export function createLogger(
  level: string,
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout,
  fieldsOf?: () => object,
): Logger {
  const options = {
    level,
    base: null,
    // Not pino's `redact`, which takes thirty times as long as the rest of a line: a tenth of a millisecond.
    formatters: { log: (fields: Record<string, unknown>) => withoutSecrets(fields) },
    serializers: { ...HIDING, err: (error: unknown) => describeError(error) },
    ...(fieldsOf && { mixin: fieldsOf }),
  };
  return stream.isTTY
    ? pino(options, PinoPretty({ colorize: true, ignore: 'pid,hostname', singleLine: true }))
    : pino(options, stream);
}

/** The fields of a line, or a copy in which `[redacted]` replaces the secrets. `err` has a serializer instead. */
function withoutSecrets<Fields extends object>(fields: Fields, levels = LEVELS): Fields {
  let safe: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    let shown: unknown = value;
    if (SECRETS.has(name)) shown = REDACTED;
    else if (
      levels > 1 &&
      typeof value === 'object' &&
      value !== null &&
      !(levels === LEVELS && name === 'err')
    )
      shown = withoutSecrets(value, levels - 1);
    if (shown === value) continue;
    safe ??= (Array.isArray(fields) ? [...fields] : { ...fields }) as Record<string, unknown>;
    safe[name] = shown;
  }
  return (safe ?? fields) as Fields;
}

interface ErrorDescription {
  type: string;
  code?: unknown;
  message: string;
  stack?: string | undefined;
  cause?: ErrorDescription;
  /** The first errors of an AggregateError. */
  errors?: ErrorDescription[];
}

const MAX_ERRORS = 5;

/**
 * The properties of an error that are safe to log. Database errors also contain the refused row (`detail`), and statements
 * with their values in the message.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  const fromStatement =
    constraint !== undefined || /^(insert|update|select|with|delete)\b/i.test(error.message.trim());
  const message = fromStatement
    ? `a statement failed (${String(constraint ?? code ?? error.name)})`
    : error.message;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    message,
    stack: frames?.join('\n'),
    ...(error.cause instanceof Error && depth < 4 ? { cause: describeError(error.cause, depth + 1) } : {}),
    ...(error instanceof AggregateError && depth < 4
      ? { errors: error.errors.slice(0, MAX_ERRORS).map((one) => describeError(one, depth + 1)) }
      : {}),
  };
}
