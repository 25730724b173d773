import { expectTrigger, type Step } from './shared/step.ts';

/**
 * The agent replaces a mistyped transaction that the last check has not found on its chain. The step locks and ends
 * that verdict. If a check finds the transaction at the same moment, one of two things happens. Either the check comes
 * first, and the step is refused. Or the check comes too late, and records and reserves nothing.
 */
export const replaceTransaction: Step = {
  reason: `coalesce($reason, 'Replaces ' || orders.user_crypto_tx_hash || ', which was not found')`,
  set: {
    user_crypto_tx_hash: '$txHashGiven',
    replacements: 'orders.replacements + 1',
  },
  from: `(
    select order_id from payment_verdict
    where order_id = $orderId and version = $version and kind = 'not_found'
    for update
  ) missing`,
  where: ['missing.order_id = orders.id'],
  unmet: 'not_replaceable',
  effects: [
    `replaced as (
  update payment_verdict verdict set kind = 'replaced' from after
  where verdict.order_id = after.id and verdict.version = $version
)`,
  ],
  parameters: (command) => ({ txHashGiven: expectTrigger(command, 'settle').txHashGiven }),
};
