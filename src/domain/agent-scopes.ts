/** What an agent key may do. A key without a list of scopes has all of them. */
export const AGENT_SCOPES = {
  pay: 'lock rates, check recipients and create payments',
  read: 'read its orders, their timelines and their status',
  confirm: 'confirm that the fiat has arrived',
  settle: 'settle orders with a transaction',
  cancel: 'cancel orders that no LP has claimed',
  dispute: 'dispute orders',
  webhooks: 'list webhooks and send them again',
} as const;
export type AgentScope = keyof typeof AGENT_SCOPES;

export const SCOPES = Object.keys(AGENT_SCOPES) as AgentScope[];

export const hasScope = (scopes: readonly AgentScope[] | null | undefined, scope: AgentScope): boolean =>
  !scopes || scopes.includes(scope);
