import { compile } from 'json-schema-to-typescript';
import { z } from 'zod';
import {
  ordersQuery,
  ordersResponse,
  timelineResponse,
} from '../../src/api/resources/agent-orders/schemas.ts';
import { autoClaimRequest } from '../../src/api/resources/auto-claim/schemas.ts';
import {
  confirmDepositRequest,
  depositRequest,
  depositResponse,
} from '../../src/api/resources/collateral-deposits/schemas.ts';
import { corridorsResponse } from '../../src/api/resources/corridors/schemas.ts';
import { balanceResponse } from '../../src/api/resources/lp-balance/schemas.ts';
import { dashboardResponse } from '../../src/api/resources/lp-dashboard/schemas.ts';
import { ownOrdersQuery, ownOrdersResponse } from '../../src/api/resources/lp-orders/schemas.ts';
import {
  assetRequest,
  assetResponse,
  changedTermsResponse,
  rateRequest,
  rateResponse,
  termsRequest,
  termsResponse,
} from '../../src/api/resources/lp-terms/schemas.ts';
import { lpWebhookBody } from '../../src/api/resources/lp-webhook/body.ts';
import {
  lpWebhookRequest,
  lpWebhookState,
  newLpWebhook,
} from '../../src/api/resources/lp-webhook/schemas.ts';
import { registerRequest, registerResponse } from '../../src/api/resources/lps/schemas.ts';
import {
  changesResponse,
  feedMessage,
  orderChange,
  ownOrderChange,
} from '../../src/api/resources/order-changes/schemas.ts';
import { streamResponse } from '../../src/api/resources/order-stream/schemas.ts';
import {
  claimResponse,
  fiatSentResponse,
  orderResponse,
  releaseResponse,
} from '../../src/api/resources/orders/schemas.ts';
import { ownKey } from '../../src/api/resources/own-key/schemas.ts';
import {
  cancelResponse,
  confirmResponse,
  paymentResponse,
  payRequest,
  rateLockResponse,
  ratesRequest,
  replayedPaymentResponse,
  settleResponse,
  statusResponse,
} from '../../src/api/resources/payments/schemas.ts';
import { receiptResponse } from '../../src/api/resources/receipts/schemas.ts';
import {
  verifyRecipientRequest,
  verifyRecipientResponse,
} from '../../src/api/resources/recipients/schemas.ts';
import { webhookBody } from '../../src/api/resources/webhook-deliveries/body.ts';
import {
  deliveriesQuery,
  deliveriesResponse,
  delivery,
} from '../../src/api/resources/webhook-deliveries/schemas.ts';
import {
  replayedWithdrawal,
  withdrawal,
  withdrawRequest,
} from '../../src/api/resources/withdrawals/schemas.ts';
import { explainedTerms } from '../../src/api/schemas/lp-terms.ts';
import { offer, ownOrder } from '../../src/api/schemas/offers.ts';
import { disputeResponse, lpDisputeResponse } from '../../src/api/schemas/order-commands.ts';
import { chainName, ok, orderStatus, reasonCode } from '../../src/api/schemas/response-fields.ts';
import { ERROR_CODES } from '../../src/http/errors.ts';

/** The schemas that the client exports, by the names of their types. */
const REQUESTS = {
  PayRequest: payRequest({ allowHttp: true }),
  RatesRequest: ratesRequest,
  VerifyRecipientRequest: verifyRecipientRequest,
  OrdersQuery: ordersQuery,
  OwnOrdersQuery: ownOrdersQuery,
  WebhookDeliveriesQuery: deliveriesQuery,
  RegisterRequest: registerRequest,
  TermsRequest: termsRequest,
  RateRequest: rateRequest,
  AssetRequest: assetRequest,
  DepositRequest: depositRequest,
  ConfirmDepositRequest: confirmDepositRequest,
  WithdrawRequest: withdrawRequest,
  AutoClaimRequest: autoClaimRequest,
  LpWebhookRequest: lpWebhookRequest({ allowHttp: true }),
};
export const RESPONSES = {
  Done: ok,
  AssetAnswer: assetResponse,
  ConfirmAnswer: confirmResponse,
  CancelAnswer: cancelResponse,
  DisputeAnswer: disputeResponse,
  LpDisputeAnswer: lpDisputeResponse,
  TermsAnswer: changedTermsResponse,
  LpTerms: termsResponse,
  Terms: explainedTerms,
  RateAnswer: rateResponse,
  OrderStatus: orderStatus,
  Chain: chainName,
  StatusReasonCode: reasonCode,
  ErrorCode: z.enum(ERROR_CODES),
  Corridors: corridorsResponse,
  RecipientCheck: verifyRecipientResponse,
  Payment: paymentResponse,
  ReplayedPayment: replayedPaymentResponse,
  RateLock: rateLockResponse,
  OrderStatusView: statusResponse,
  OrdersPage: ordersResponse,
  OwnOrdersPage: ownOrdersResponse,
  Timeline: timelineResponse,
  SettleAnswer: settleResponse,
  WebhookEvent: webhookBody,
  LpWebhookEvent: lpWebhookBody,
  LpWebhook: lpWebhookState,
  NewLpWebhook: newLpWebhook,
  WebhookDelivery: delivery,
  WebhookDeliveries: deliveriesResponse,
  OwnKey: ownKey,
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
  OwnOrderNews: ownOrderChange,
  OpenOrders: streamResponse,
  OrderChange: orderChange,
  ChangesPage: changesResponse,
  FeedMessage: feedMessage,
};

const HEAD = `/* Written by \`npm run client:contract\` from the service's own schemas. Changes made here by hand are lost. */
`;

/** Returns the content of `client/src/contract.ts`. */
export async function generateContract(): Promise<string> {
  const parts = [await buildTypes(REQUESTS, 'input'), await buildTypes(RESPONSES, 'output')];
  return `${HEAD}\n${parts.join('\n')}`;
}

/** Returns the types of the schemas. A schema that contains another refers to its type by name. */
async function buildTypes(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Promise<string> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  const { schemas: jsonSchemas } = z.toJSONSchema(named, {
    io,
    target: 'draft-7',
    uri: (id) => `#/definitions/${id}`,
  });
  const definitions = Object.fromEntries(
    Object.entries(jsonSchemas).map(([id, { $id: _, $schema: __, ...schema }]) => [id, schema]),
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

/** The generator needs a root schema around the others; these remove what it prints about it. */
const ROOT = /export interface Root \{[^}]*\}\n/;
const REFERENCE =
  /\/\*\*\n \* This interface was referenced by `Root`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n| \*\n \* This interface was referenced by `Root`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g;
