/**
 * Why an order has the status that it has: every reason that a row, an event, the timeline, a webhook or an export can show. Pure,
 * so that it runs in the workflow sandbox.
 */

/** Where a reason arises. `request`: the caller of a command. `service`: Corridor itself, beside the transitions of the table. */
export type ReasonSource = 'deadline' | 'chain' | 'revocation' | 'request' | 'service';

/** Who may read reasons: the order's agent, its LP, admins. */
export const REASON_READERS = ['agent', 'lp', 'admin'] as const;
export type ReasonReader = (typeof REASON_READERS)[number];

interface Row {
  from: ReasonSource;
  recipients: readonly ReasonReader[];
  /** In English. `{name}` stands for a value, and a part in brackets is left out if its value is missing. */
  text: string;
}

const recipients = REASON_READERS;

// biome-ignore format: a table, one line for each entry
export const STATUS_REASONS = {
  not_claimed: { from: 'deadline', recipients, text: 'No LP claimed the order in time' },
  fiat_not_sent: { from: 'deadline', recipients, text: 'The LP did not send the fiat in time' },
  receipt_without_report: { from: 'deadline', recipients, text: 'The LP uploaded a receipt, but did not report the fiat as sent in time' },
  not_confirmed: { from: 'deadline', recipients, text: 'The agent did not confirm the fiat in time' },
  not_settled: { from: 'deadline', recipients, text: 'The agent did not settle in time' },
  not_final: { from: 'deadline', recipients, text: 'The transaction was not final on its chain in time[: {seen}]' },

  key_revoked: { from: 'revocation', recipients, text: 'The agent’s key was revoked before any fiat was sent' },
  key_revoked_after_claim: { from: 'revocation', recipients, text: 'The agent’s key was revoked. If you have sent the fiat, report it or upload a receipt before the deadline. Otherwise do not send it: the order ends without a strike' },

  paid_late: { from: 'chain', recipients, text: 'The payment was made at {at}, after its deadline' },
  not_a_transaction_hash: { from: 'chain', recipients, text: 'This is not a transaction hash of {chain}' },
  transaction_reverted: { from: 'chain', recipients, text: 'The transaction was reverted' },
  transaction_failed: { from: 'chain', recipients, text: 'The transaction failed: {failure}' },
  not_a_payment: { from: 'chain', recipients, text: 'The transaction is a {type}, not a payment' },
  paid_too_early: { from: 'chain', recipients, text: 'The transaction is from {at}, before what it should pay for: only one from {not_before} or later can be the payment' },
  other_token: { from: 'chain', recipients, text: 'The transaction pays {paid}, not {symbol}' },
  other_address: { from: 'chain', recipients, text: 'The transaction pays another address than it should' },
  no_transfer: { from: 'chain', recipients, text: 'The transaction pays no {symbol} to the address that it should' },
  tag_missing: { from: 'chain', recipients, text: 'The transaction has no destination tag, and it must be {expected}' },
  tag_unexpected: { from: 'chain', recipients, text: 'The transaction has destination tag {found}, and it must have none' },
  tag_wrong: { from: 'chain', recipients, text: 'The transaction has destination tag {found}, and it must be {expected}' },
  overpaid: { from: 'chain', recipients, text: 'The transaction pays {paid} {symbol}, not exactly {owed}: {gap} more than is asked for' },
  underpaid: { from: 'chain', recipients, text: 'The transaction pays {paid} {symbol}, not exactly {owed}: {gap} less than is asked for' },
  paid_by_platform: { from: 'chain', recipients, text: 'The transaction comes from {sender}, which is the platform’s own address: only the payer’s own transfer can be the payment' },
  transaction_used: { from: 'chain', recipients, text: 'This transaction has paid something else, and one transaction pays one order' },

  note: { from: 'request', recipients, text: '{text}' },
  bulk_note: { from: 'request', recipients, text: '{text} (bulk run {run})' },
  evidence_note: { from: 'request', recipients, text: '{text} (evidence: /api/receipts/{receipt})' },
  agent_cancelled: { from: 'request', recipients, text: 'The agent cancelled the order' },
  lp_released: { from: 'request', recipients, text: 'The LP released the order' },
  deadline_expired_now: { from: 'request', recipients, text: 'A party expired the deadline in the sandbox' },

  transaction_replaced: { from: 'service', recipients, text: 'Replaces {tx_hash}, which was not found' },
  commits_lost: { from: 'service', recipients, text: 'The database lost commits: the order was seen as {seen_status}, version {seen_version}, and its row was {status}, version {version}' },
  after_outage: { from: 'service', recipients, text: 'The service was unavailable after {since} UTC; the deadline moved by as long' },
  after_incident: { from: 'service', recipients, text: 'Incident of {scope} from {from} to {to} UTC: {text}. The deadline moved by the time lost' },
} as const satisfies Record<string, Row>;

export type ReasonCode = keyof typeof STATUS_REASONS;
export const REASON_CODES = Object.keys(STATUS_REASONS) as ReasonCode[];

type Text<Code extends ReasonCode> = (typeof STATUS_REASONS)[Code]['text'];
type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Always<T extends string> = T extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${After}`
  : T;
type Sometimes<T extends string> = T extends `${string}[${infer Part}]${string}` ? Part : never;

/** The values of a reason, by the names in its text. */
export type ReasonValues<Code extends ReasonCode, Value> = Record<Names<Always<Text<Code>>>, Value> &
  Partial<Record<Names<Sometimes<Text<Code>>>, Value | undefined>>;

/** A reason with its values, as a verdict or a request carries it. */
export type StatusReason = {
  [Code in ReasonCode]: { code: Code; values: ReasonValues<Code, string> };
}[ReasonCode];

/** The reasons that arise there. */
export type ReasonFrom<Source extends ReasonSource> = Extract<StatusReason, { code: CodeFrom<Source> }>;
type CodeFrom<Source extends ReasonSource> = {
  [Code in ReasonCode]: (typeof STATUS_REASONS)[Code]['from'] extends Source ? Code : never;
}[ReasonCode];

/** What a caller gives with a command: its own words, or the default. */
export type RequestReason = ReasonFrom<'request'>;

/** The words of a person. */
export const noteOf = (text: string): RequestReason => reasonOf('note', { text });

/** The length of the columns that hold a text. A text may quote a node's answer of any length. */
export const MAX_REASON_LENGTH = 500;

/** Makes a reason. It may pass through Temporal, so no value is longer than a text may be. */
export const reasonOf = <Code extends ReasonCode>(
  code: Code,
  ...[values]: [Names<Text<Code>>] extends [never] ? [] : [ReasonValues<Code, string | number>]
) => {
  const given = Object.entries(values ?? {}).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]) => [name, String(value).slice(0, MAX_REASON_LENGTH)]);
  return { code, values: Object.fromEntries(texts) } as Extract<StatusReason, { code: Code }>;
};

/** The text of a reason for people. */
export function reasonText({ code, values }: StatusReason): string {
  const parts = textParts(code, values);
  return parts
    .map((part) => (typeof part === 'string' ? part : part.value))
    .join('')
    .slice(0, MAX_REASON_LENGTH);
}

/** A reason's text in its parts: strings of the table, and values in place of their names. */
export function textParts<Value>(
  code: ReasonCode,
  values: Record<string, Value>,
): (string | { value: Value })[] {
  const whole = STATUS_REASONS[code].text.replace(/\[(.*?)\]/g, (_, part: string) =>
    namesIn(part).every((name) => name in values) ? part : '',
  );
  return whole.split(/(\{\w+\})/).flatMap((part): (string | { value: Value })[] => {
    const [name] = namesIn(part);
    if (name === undefined) return part === '' ? [] : [part];
    const value = values[name];
    if (value === undefined) throw new Error(`The reason ${code} needs a value for ${name}`);
    return [{ value }];
  });
}

const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));

/** Throws unless the reason comes from there: what passed through Temporal may be forged. */
export function requireReason<Source extends ReasonSource>(
  reason: StatusReason,
  source: Source,
): ReasonFrom<Source> {
  if (isReasonCode(reason.code) && STATUS_REASONS[reason.code].from === source)
    return reason as ReasonFrom<Source>;
  throw new Error(`${reason.code} is no reason from ${source}`);
}

const isReasonCode = (code: string): code is ReasonCode => Object.hasOwn(STATUS_REASONS, code);

/** A reason as a row or an event has it, for this reader. Both are null without a reason, and if it is not for the reader. */
export function reasonShownTo<Text>(
  reader: ReasonReader,
  { text, code }: { text: Text | null | undefined; code: string | null | undefined },
): { text: Text | null; code: ReasonCode | null } {
  const isShown = code && isReasonCode(code) && STATUS_REASONS[code].recipients.includes(reader);
  return isShown ? { text: text ?? null, code } : { text: null, code: null };
}
