import { errorText } from '../../src/api/error-responses.ts';
import { loadConfig } from '../../src/config.ts';
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
import { askers, REFUSALS, type Refusal, TRIGGERS, timeAfter } from './lifecycle-words.ts';
import { code, table } from './markdown.ts';

const staysPut = ({ from, to }: Transition) => from === to;

export function statusTable(): string {
  const rows = ORDER_STATUSES.map((status) => {
    const { waitingFor, stage } = STATUS_FACTS[status];
    return [code(status), code(waitingFor), ...(stage ? clock(status, stage) : ['none', '–', '–'])];
  });
  return table(['status', 'who acts next', 'deadline', 'when it passes', 'shown as the reason'], rows);
}

function clock(status: OrderStatus, stage: Stage): string[] {
  const passed = TRANSITIONS.find((t) => t.from === status && t.trigger === 'deadline');
  if (!passed) throw new Error(`Nothing happens when the deadline of "${status}" passes`);
  const { setting, byDefault } = deadlineSetting(stage);
  return [`${code(setting)}, ${byDefault}`, outcome(passed), MISSED_DEADLINE[stage]];
}

/** The setting of a stage's deadline, and its default; the name is tried, not believed. */
function deadlineSetting(stage: Stage): { setting: string; byDefault: string } {
  const setting = `${stage.toUpperCase()}_TIMEOUT`;
  if (loadConfig({ [setting]: '1234ms' }).durations[stage] !== 1_234) {
    throw new Error(`${setting} is not the setting of the stage "${stage}"`);
  }
  const minutes = loadConfig({}).durations[stage] / 60_000;
  return { setting, byDefault: minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min` };
}

export function transitionTable(): string {
  const rows = TRANSITIONS.filter((t) => !staysPut(t)).map((t) => [
    code(t.from),
    code(t.trigger),
    TRIGGERS[t.trigger],
    askers(t.by),
    code(t.step),
    code(t.to),
    t.escalation ? escalationOf(t.escalation) : '',
  ]);
  return table(['from', 'trigger', 'what happens', 'who may ask', 'step', 'to', 'instead'], rows);
}

export function repairTable(): string {
  const repairs = TRANSITIONS.filter(staysPut);
  const triggers = [...new Set(repairs.map(({ trigger }) => trigger))];
  const rows = triggers.map((trigger) => {
    const of = repairs.filter((t) => t.trigger === trigger);
    const steps = [...new Set(of.map(({ step }) => code(step)))].join(', ');
    const by = askers([...new Set(of.flatMap((t) => t.by))]);
    return [code(trigger), TRIGGERS[trigger], by, steps, of.map(({ from }) => code(from)).join(', ')];
  });
  return table(['trigger', 'what happens', 'who may ask', 'step', 'in'], rows);
}

const outcome = ({ to, escalation }: Transition): string =>
  escalation ? `${code(to)}; ${escalationOf(escalation)}` : code(to);

function escalationOf({ counter, after, step, to }: NonNullable<Transition['escalation']>): string {
  const alone = counter === 'reoffers' ? ', or when there is nobody else to offer it to' : '';
  return `the ${timeAfter(after)}${alone}: ${code(step)}, ${code(to)}`;
}

const LP = 1;
const TX = 'aaaa';
const UNTIL = new Date(1).toISOString();
const LATER = new Date(2).toISOString();

/** Each command as the one who may ask gives it: the LP is the order's, the transaction the one that was named. */
const COMMANDS: Record<SignalTrigger, Record<string, Command>> = {
  claim: { claim: { trigger: 'claim', lpId: LP, collateral: '1', validUntil: 'infinity' } },
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
  advance: { advance: { trigger: 'advance', version: 1 } },
  freeze: { freeze: { trigger: 'freeze' } },
  unfreeze: { unfreeze: { trigger: 'unfreeze' } },
};

/** The same commands put to the code that decides, in every status. */
export function commandTable(): string {
  const rows = Object.values(COMMANDS)
    .flatMap((variants) => Object.entries(variants))
    .map(([name, command]) => [
      `**${name}**`,
      ...ORDER_STATUSES.map((status) => {
        const decision = decide(orderIn(status), command);
        if (decision.kind === 'already') return '✓';
        return decision.kind === 'apply' ? `→ ${code(decision.to)}` : decision.code;
      }),
    ]);
  return table(['', ...ORDER_STATUSES.map(code)], rows);
}

const NAMES_ITS_TRANSACTION: readonly OrderStatus[] = ['crypto_verify_pending', 'completed', 'disputed'];

const orderIn = (status: OrderStatus): OrderState => ({
  version: 1,
  status,
  lpId: LP,
  excludedLpIds: [],
  rejectedTxHashes: [],
  txHash: NAMES_ITS_TRANSACTION.includes(status) ? TX : null,
  reoffers: 0,
  rejections: 0,
  timeoutAt: STATUS_FACTS[status].stage && UNTIL,
  frozenMs: null,
  slashedUsd: null,
});

export function refusalTable(): string {
  const rows = (Object.keys(REFUSALS) as Refusal[]).map((refusal) => {
    const { status, text } = errorText(refusal);
    return [code(refusal), String(status), text, REFUSALS[refusal]];
  });
  return table(['refusal', 'HTTP', 'answer', 'when'], rows);
}
