import type { Command, SignalTrigger } from '../../src/domain/order-commands.ts';
import { decide } from '../../src/domain/order-decision.ts';
import {
  MISSED_DEADLINE,
  ORDER_STATUSES,
  type OrderState,
  type OrderStatus,
  STATUS_FACTS,
  type Stage,
  TRANSITIONS,
  type Transition,
} from '../../src/domain/order-state.ts';
import { REASON_CODES, type ReasonSource, STATUS_REASONS } from '../../src/domain/status-reasons.ts';
import { errorRow } from '../../src/http/errors.ts';
import { loadConfig } from '../../src/settings/config.ts';
import {
  actors,
  FINDING_WORDS,
  ordinalTimeAfter,
  REFUSALS,
  type Refusal,
  TRIGGERS,
} from './lifecycle-words.ts';
import { code, table } from './markdown.ts';

/** Where reasons arise, in words. */
const SOURCES: Record<ReasonSource, string> = {
  deadline: 'a passed deadline',
  revocation: 'the revocation of the agent’s key',
  chain: 'a check of the chain',
  request: 'the caller of a command',
  service: 'Corridor itself',
};

export function reasonTable(): string {
  const rows = REASON_CODES.map((name) => {
    const { text, from, recipients } = STATUS_REASONS[name];
    return [code(name), text, SOURCES[from], recipients.join(', ')];
  });
  return table(['code', 'text', 'arises from', 'who may read it'], rows);
}

const keepsStatus = ({ from, to }: Transition) => from === to;

export function statusTable(): string {
  const rows = ORDER_STATUSES.map((status) => {
    const { waitingFor, stage } = STATUS_FACTS[status];
    return [code(status), code(waitingFor), ...(stage ? deadlineCells(status, stage) : ['none', '–', '–'])];
  });
  return table(['status', 'who acts next', 'deadline', 'status after the deadline', 'reason shown'], rows);
}

function deadlineCells(status: OrderStatus, stage: Stage): string[] {
  const expired = TRANSITIONS.filter((t) => t.from === status && t.trigger === 'deadline');
  if (expired.length === 0)
    throw new Error(`The status "${status}" has a stage but no transition for its deadline`);
  const { setting, byDefault } = deadlineSetting(stage);
  return [`${code(setting)}, ${byDefault}`, expired.map(outcome).join('; '), code(MISSED_DEADLINE[stage])];
}

/** The setting of a stage's deadline, and its default. Loading it proves that the derived name is right. */
function deadlineSetting(stage: Stage): { setting: string; byDefault: string } {
  const setting = `${stage.toUpperCase()}_TIMEOUT`;
  if (loadConfig({ [setting]: '1234ms' }).durations[stage] !== 1_234) {
    throw new Error(`${setting} is not the setting of the stage "${stage}"`);
  }
  const minutes = loadConfig({}).durations[stage] / 60_000;
  return { setting, byDefault: minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min` };
}

export function transitionTable(): string {
  const rows = TRANSITIONS.filter((t) => !keepsStatus(t)).map((t) => [
    code(t.from),
    code(t.trigger),
    TRIGGERS[t.trigger],
    actors(t.by),
    code(t.step),
    code(t.to),
    conditionOf(t),
  ]);
  return table(['from', 'trigger', 'what happens', 'permitted actors', 'step', 'to', 'condition'], rows);
}

export function repairTable(): string {
  const repairs = TRANSITIONS.filter(keepsStatus);
  const triggers = [...new Set(repairs.map(({ trigger }) => trigger))];
  const rows = triggers.map((trigger) => {
    const rules = repairs.filter((t) => t.trigger === trigger);
    const steps = [...new Set(rules.map(({ step }) => code(step)))].join(', ');
    const by = actors([...new Set(rules.flatMap((t) => t.by))]);
    return [code(trigger), TRIGGERS[trigger], by, steps, rules.map(({ from }) => code(from)).join(', ')];
  });
  return table(['trigger', 'what happens', 'permitted actors', 'step', 'in'], rows);
}

function outcome({ to, found, escalation }: Transition): string {
  if (found) return `${FINDING_WORDS[found].condition}: ${code(to)}`;
  return escalation ? `${code(to)}; ${escalationOf(escalation)}` : code(to);
}

function conditionOf({ found, escalation }: Transition): string {
  if (found) return FINDING_WORDS[found].condition;
  return escalation ? escalationOf(escalation) : '';
}

const escalationOf = ({ after, step, to }: NonNullable<Transition['escalation']>): string =>
  `the ${ordinalTimeAfter(after)}: ${code(step)}, ${code(to)}`;

const LP = 1;
const TX = 'aaaa';
const UNTIL = new Date(1).toISOString();
const LATER = new Date(2).toISOString();

/** Each command from a permitted actor: the order's own LP, and the transaction that the agent named. */
const COMMANDS: Record<SignalTrigger, Record<string, Command>> = {
  claim: { claim: { trigger: 'claim', lpId: LP, validUntil: 'infinity' } },
  fiatSent: { fiatSent: { trigger: 'fiatSent', lpId: LP } },
  confirm: { confirm: { trigger: 'confirm' } },
  settle: { settle: { trigger: 'settle', txHash: TX, txHashGiven: TX } },
  cancel: { cancel: { trigger: 'cancel', by: 'agent' } },
  release: { release: { trigger: 'release', lpId: LP, freeSince: UNTIL } },
  dispute: {
    'dispute, agent': { trigger: 'dispute', by: 'agent' },
    'dispute, LP': { trigger: 'dispute', by: 'lp', lpId: LP },
  },
  resolve: {
    'resolve, completed': { trigger: 'resolve', txHash: TX, outcome: 'completed', slashUsd: '0.00' },
    'resolve, cancelled': { trigger: 'resolve', txHash: TX, outcome: 'cancelled', slashUsd: '0.00' },
  },
  retryVerification: { retryVerification: { trigger: 'retryVerification', txHash: TX, txHashGiven: TX } },
  extend: { extend: { trigger: 'extend', until: LATER } },
  expireNow: { expireNow: { trigger: 'expireNow', version: 1 } },
  freeze: { freeze: { trigger: 'freeze' } },
  unfreeze: { unfreeze: { trigger: 'unfreeze' } },
  revoke: { revoke: { trigger: 'revoke' } },
};

/** The decision of the state machine on each command in each status. */
export function commandTable(): string {
  const rows = Object.values(COMMANDS)
    .flatMap((variants) => Object.entries(variants))
    .map(([name, command]) => [
      `**${name}**`,
      ...ORDER_STATUSES.map((status) => {
        const decision = decide(sampleOrder(status), command);
        if (decision.kind === 'already') return '✓';
        return decision.kind === 'apply' ? `→ ${code(decision.to)}` : decision.code;
      }),
    ]);
  return table(['', ...ORDER_STATUSES.map(code)], rows);
}

const HAS_TRANSACTION: readonly OrderStatus[] = ['crypto_verify_pending', 'completed', 'disputed'];

const sampleOrder = (status: OrderStatus): OrderState => ({
  version: 1,
  status,
  lpId: LP,
  excludedLpIds: [],
  rejectedTxHashes: [],
  txHash: HAS_TRANSACTION.includes(status) ? TX : null,
  reoffers: 0,
  rejections: 0,
  replacements: 0,
  timeoutAt: STATUS_FACTS[status].stage && UNTIL,
  frozenMs: null,
  slashedUsd: null,
});

export function refusalTable(): string {
  const rows = (Object.keys(REFUSALS) as Refusal[]).map((refusal) => {
    const { status, text } = errorRow(refusal);
    return [code(refusal), String(status), text, REFUSALS[refusal]];
  });
  return table(['refusal', 'HTTP', 'answer', 'when'], rows);
}
