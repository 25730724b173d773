import type { z } from 'zod';
import type { timelineResponse } from '../../../src/api/resources/agent-orders/schemas.ts';
import type { balanceResponse } from '../../../src/api/resources/lp-balance/schemas.ts';
import type { dashboardResponse } from '../../../src/api/resources/lp-dashboard/schemas.ts';
import type { historyResponse } from '../../../src/api/resources/lp-history/schemas.ts';
import type { ownOrdersResponse } from '../../../src/api/resources/lp-orders/schemas.ts';
import type { newLpWebhook } from '../../../src/api/resources/lp-webhook/schemas.ts';
import type { claimResponse, orderResponse } from '../../../src/api/resources/orders/schemas.ts';
import type { offer, ownOrder } from '../../../src/api/schemas/offers.ts';

/** The service's responses to LPs, typed by its contract. */
export type Dashboard = z.output<typeof dashboardResponse>;
/** The terms of one corridor, with the reason why payments do not use the rate. */
export type ExplainedTerms = Dashboard['rates'][number];
export interface OwnTerms {
  terms: ExplainedTerms[];
}
export type Balance = z.output<typeof balanceResponse>;
export type History = z.output<typeof historyResponse>;
export type Timeline = z.output<typeof timelineResponse>;
export type NewLpWebhook = z.output<typeof newLpWebhook>;
export type Offer = z.output<typeof offer>;
export type OwnOrdersPage = z.output<typeof ownOrdersResponse>;
export type OwnOrder = z.output<typeof ownOrder>;
export type PublicOrder = z.output<typeof orderResponse>;
export type Claimed = z.output<typeof claimResponse>;
export type { FeedMessage } from '../../../src/notify/feed/message-types.ts';
