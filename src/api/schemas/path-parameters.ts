/**
 * Descriptions of path parameters, by name. For a parameter `id`, the resource before it in the path determines the
 * description.
 */
const BY_NAME: Record<string, string> = {
  orderId: 'The id of the order',
  order_id: 'The id of the order',
  deposit_id: 'The `deposit_id` of the deposit',
  lp_key:
    'The LP’s own key: `lp_` and 48 hexadecimal digits. It must equal the bearer key. `me`, with the session of a signed-in LP.',
  receipt_key: 'The `receipt_key` of the receipt: `rcpt_` and 48 hexadecimal digits.',
};
const BY_RESOURCE: Record<string, string> = {
  admins: 'The id of the admin',
  approvals: 'The id of the proposal',
  'agent-keys': 'The id of the agent key',
  incidents: 'The id of the incident',
  'bulk-runs': 'The id of the bulk run',
  pauses: 'The id of the pause',
  lps: 'The id of the LP',
  orders: 'The id of the order',
  sessions: 'The id of the session',
  users: 'The id of the user',
  'webhook-deliveries': 'The id of the webhook, from the list of webhooks',
  withdrawals: 'The id of the withdrawal',
};

/** The path parameters of a route, in the form of the OpenAPI document. */
export function pathParameters(path: string): object[] {
  return [...path.matchAll(/([\w-]+)\/:(\w+)/g)].map(([, resource = '', name = '']) => {
    const meaning = name === 'id' ? BY_RESOURCE[resource] : BY_NAME[name];
    if (meaning === undefined) throw new Error(`The path parameter "${name}" of ${path} has no description`);
    return {
      name,
      in: 'path',
      required: true,
      ...(name.endsWith('_key')
        ? { description: meaning, schema: { type: 'string' } }
        : { description: `${meaning}: a positive whole number.`, schema: { type: 'integer', minimum: 1 } }),
    };
  });
}
