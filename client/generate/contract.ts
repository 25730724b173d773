import { compile } from 'json-schema-to-typescript';
import { z } from 'zod';
import { ordersQuery, ordersResponse, timelineResponse } from '../../src/contract/agent-orders.ts';
import { chainName, orderStatus } from '../../src/contract/answers.ts';
import { autoClaimRequest } from '../../src/contract/auto-claim.ts';
import { changesResponse, feedMessage, orderChange, ownOrderNews } from '../../src/contract/feed.ts';
import { balanceResponse, dashboardResponse } from '../../src/contract/lp-reads.ts';
import {
  assetRequest,
  depositRequest,
  depositResponse,
  rateRequest,
  registerRequest,
  registerResponse,
} from '../../src/contract/lps.ts';
import { offer, ownOrder } from '../../src/contract/offers.ts';
import { releaseResponse } from '../../src/contract/order-verbs.ts';
import { claimResponse, fiatSentResponse, orderResponse } from '../../src/contract/orders.ts';
import {
  paymentResponse,
  payRequest,
  rateLockResponse,
  ratesRequest,
  replayedPaymentResponse,
  settleResponse,
  statusResponse,
} from '../../src/contract/payments.ts';
import { receiptResponse } from '../../src/contract/receipts.ts';
import { streamResponse } from '../../src/contract/stream.ts';
import { deliveriesResponse, delivery } from '../../src/contract/webhook-deliveries.ts';
import { webhookBody } from '../../src/contract/webhooks.ts';
import { replayedWithdrawal, withdrawal, withdrawRequest } from '../../src/contract/withdrawals.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';

/** What the client's users meet, by the name that they know it by. */
const REQUESTS = {
  PayRequest: payRequest({ allowHttp: true }),
  RatesRequest: ratesRequest,
  OrdersQuery: ordersQuery,
  RegisterRequest: registerRequest,
  RateRequest: rateRequest,
  AssetRequest: assetRequest,
  DepositRequest: depositRequest,
  WithdrawRequest: withdrawRequest,
  AutoClaimRequest: autoClaimRequest,
};
const ANSWERS = {
  OrderStatus: orderStatus,
  Chain: chainName,
  ErrorCode: z.enum(ERROR_CODES),
  Payment: paymentResponse,
  ReplayedPayment: replayedPaymentResponse,
  RateLock: rateLockResponse,
  OrderStatusView: statusResponse,
  OrdersPage: ordersResponse,
  Timeline: timelineResponse,
  SettleAnswer: settleResponse,
  WebhookEvent: webhookBody,
  WebhookDelivery: delivery,
  WebhookDeliveries: deliveriesResponse,
  Registration: registerResponse,
  DepositAnswer: depositResponse,
  Withdrawal: withdrawal,
  ReplayedWithdrawal: replayedWithdrawal,
  ClaimAnswer: claimResponse,
  FiatSentAnswer: fiatSentResponse,
  ReleaseAnswer: releaseResponse,
  Receipt: receiptResponse,
  Offer: offer,
  OwnOrder: ownOrder,
  Dashboard: dashboardResponse,
  Balance: balanceResponse,
  Order: orderResponse,
  OwnOrderNews: ownOrderNews,
  OpenOrders: streamResponse,
  OrderChange: orderChange,
  ChangesPage: changesResponse,
  FeedMessage: feedMessage,
};

const HEAD = `/* Written by \`npm run client:contract\` from the service's own schemas. Changes made here by hand are lost. */
`;

/** `client/src/contract.ts`, whole. */
export async function contractTypes(): Promise<string> {
  const parts = [await typesOf(REQUESTS, 'input'), await typesOf(ANSWERS, 'output')];
  return `${HEAD}\n${parts.join('\n')}`;
}

/** The named shapes as types; where one is part of another, that one names it. */
async function typesOf(shapes: Record<string, z.ZodType>, io: 'input' | 'output'): Promise<string> {
  const named = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) named.add(shape, { id });
  const { schemas } = z.toJSONSchema(named, { io, target: 'draft-7', uri: (id) => `#/definitions/${id}` });
  const definitions = Object.fromEntries(
    Object.entries(schemas).map(([id, { $id: _, $schema: __, ...schema }]) => [id, schema]),
  );
  const text = await compile({ definitions } as object, 'Root', {
    bannerComment: '',
    additionalProperties: false,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 110 },
  });
  return text.replace(ROOT, '').replaceAll(REFERENCE, '').trim().concat('\n');
}

/** What the generator says of a schema that is there to hold the others. */
const ROOT = /export interface Root \{[^}]*\}\n/;
const REFERENCE =
  /(?:\/\*\*\n| \*\n) \* This interface was referenced by `Root`'s JSON-Schema\n \* via the `definition` "\w+"\.\n(?: \*\/\n)?/g;
