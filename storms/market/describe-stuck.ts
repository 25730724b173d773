import { createLogger } from '../../src/process/log.ts';
import { createOrderGateway } from '../../src/temporal/gateway.ts';
import { testEnvironment } from '../../test/support/environment.ts';
import { type Market, rowsOf } from './market.ts';

/** Everything that explains why an order does not move: its events, its verdicts, its workflow and the last history. */
export async function describeStuck(market: Market, orderId: number): Promise<string> {
  const events = await linesOf(
    market,
    `select concat_ws(' ', 'event', created_at, seq, status, cause, actor, reason, snapshot->>'timeout_at') as line
     from order_event where order_id = ${orderId} order by seq`,
  );
  const verdicts = await linesOf(
    market,
    `select 'verdict ' || to_jsonb(v)::text as line from payment_verdict v where order_id = ${orderId} order by version`,
  );
  const row = await linesOf(
    market,
    `select 'row ' || to_jsonb(o)::text as line from orders o where id = ${orderId}`,
  );
  return [...events, ...verdicts, ...row, ...(await workflowOf(market, orderId))].join('\n');
}

const linesOf = async (market: Market, sql: string): Promise<string[]> =>
  (await rowsOf<{ line: string }>(market, sql)).map(({ line }) => line);

async function workflowOf({ corridor, intruder }: Market, orderId: number): Promise<string[]> {
  const gateway = createOrderGateway({
    ...{ address: testEnvironment().temporalAddress, namespace: corridor.config.temporalNamespace },
    log: createLogger('fatal'),
  });
  const described = await gateway.describe(orderId).finally(gateway.close);
  const history = await intruder.readHistory(orderId);
  return [`workflow ${JSON.stringify(described.workflow)}`, ...history.map((event) => `history ${event}`)];
}
