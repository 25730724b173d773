import type { z } from 'zod';
import type { timelineResponse } from '../../../src/contract/agent-orders.ts';
import type { historyResponse } from '../../../src/contract/lp-history.ts';
import type { balanceResponse, dashboardResponse } from '../../../src/contract/lp-reads.ts';
import type { offer, ownOrder } from '../../../src/contract/offers.ts';
import type { claimResponse, orderResponse } from '../../../src/contract/orders.ts';

/** What the service answers LPs, as its contract says. */
export type Dashboard = z.output<typeof dashboardResponse>;
export type Balance = z.output<typeof balanceResponse>;
export type History = z.output<typeof historyResponse>;
export type Timeline = z.output<typeof timelineResponse>;
export type Offer = z.output<typeof offer>;
export type OwnOrder = z.output<typeof ownOrder>;
export type PublicOrder = z.output<typeof orderResponse>;
export type Claimed = z.output<typeof claimResponse>;
export type { FeedMessage } from '../../../src/stream/messages.ts';
