import fc from 'fast-check';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import type { LpModel } from './float-model.ts';

/** KES. The smallest is below some minima, the largest above most floats. */
const AMOUNTS = ['647.5', '1295', '1295.01', '2590', '7770'];
/** Actions on an order by status. An action that is listed more often is chosen more often. The rules refuse some of them. */
const COMMANDS = {
  matched: [
    'claim',
    'claim',
    'claim',
    'claim',
    'autoClaim',
    'autoClaim',
    'cancel',
    'deadline',
    'revoke',
    'offersEnd',
  ],
  claimed: [
    'forward',
    'forward',
    'forward',
    'release',
    'release',
    'deadline',
    'dispute',
    'revoke',
    'offersEnd',
    'claim',
  ],
  fiat_sent: ['forward', 'forward', 'forward', 'dispute', 'deadline', 'revoke'],
  confirmed: ['forward', 'forward', 'forward', 'deadline', 'release'],
  crypto_verify_pending: ['forward', 'forward', 'invalid', 'invalid', 'deadline'],
  disputed: ['resolveCompleted', 'resolveCancelled', 'retry'],
} as const;
const ANYTIME = ['freeze', 'copy', 'lose', 'lose'] as const;
const FROZEN = ['unfreeze', 'unfreeze', 'unfreeze', 'forward', 'revoke', 'copy', 'lose'] as const;
const TERMS = ['setFloat', 'topUp', 'topUp', 'clearFloat', 'band', 'rate', 'quoting'] as const;
export type Kind =
  | (typeof COMMANDS)[keyof typeof COMMANDS][number]
  | (typeof ANYTIME | typeof FROZEN | typeof TERMS)[number];

export const action = fc.record({
  onTerms: fc.constantFrom(true, false, false, false, false),
  kind: fc.nat(10_000),
  order: fc.nat(3),
  lp: fc.nat(2),
  amount: fc.constantFrom(...AMOUNTS),
});
export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

export function kindOf({ onTerms, kind }: Action, { status, frozenMs }: OrderState): Kind {
  const commands = status === 'completed' || status === 'cancelled' ? [] : COMMANDS[status];
  const all: readonly Kind[] = onTerms ? TERMS : frozenMs === null ? [...commands, ...ANYTIME] : FROZEN;
  return all[kind % all.length] ?? 'freeze';
}

let hashes = 0;
const newHash = () => `ee${++hashes}`;
const validUntil = 'infinity';

/** The command of an action on an order in this state. Undefined: the action is not a command. */
export function commandFor(kind: Kind, { status, version, lpId, txHash }: OrderState, lp: LpModel) {
  const owner = lpId ?? lp.id;
  const hash = newHash();
  const forward: Partial<Record<OrderState['status'], Command>> = {
    matched: { trigger: 'claim', lpId: lp.id, validUntil },
    claimed: { trigger: 'fiatSent', lpId: owner },
    fiat_sent: { trigger: 'confirm' },
    confirmed: { trigger: 'settle', txHash: hash, txHashGiven: hash },
    crypto_verify_pending: { trigger: 'verified', version, note: null },
  };
  const commands: Partial<Record<Kind, Command | undefined>> = {
    claim: { trigger: 'claim', lpId: lp.id, validUntil },
    autoClaim: { trigger: 'autoClaim', lpId: lp.id, validUntil },
    forward: forward[status],
    release: { trigger: 'release', lpId: owner, freeSince: new Date(0).toISOString() },
    deadline: { trigger: 'deadline', version },
    cancel: { trigger: 'cancel', by: 'agent' },
    dispute: { trigger: 'dispute', by: 'agent' },
    resolveCompleted: { trigger: 'resolve', outcome: 'completed', slashUsd: '0.50', txHash },
    resolveCancelled: { trigger: 'resolve', outcome: 'cancelled', slashUsd: '1.00', txHash },
    invalid: { trigger: 'invalid', version, reason: reasonOf('other_address') },
    retry: { trigger: 'retryVerification', txHash: txHash ?? hash, txHashGiven: txHash ?? hash },
    freeze: { trigger: 'freeze' },
    unfreeze: { trigger: 'unfreeze' },
    revoke: { trigger: 'revoke' },
  };
  return commands[kind];
}
