import { compile } from 'json-schema-to-typescript';
import { z } from 'zod';
import { ordersQuery, ordersResponse, timelineResponse } from '../../src/contract/agent-orders.ts';
import {
  paymentResponse,
  payRequest,
  rateLockResponse,
  ratesRequest,
  replayedPaymentResponse,
  settleResponse,
  statusResponse,
} from '../../src/contract/payments.ts';
import { webhookBody } from '../../src/contract/webhooks.ts';

/** What the client's users meet, by the name that they know it by. */
const REQUESTS = {
  PayRequest: payRequest({ allowHttp: true }),
  RatesRequest: ratesRequest,
  OrdersQuery: ordersQuery,
};
const ANSWERS = {
  Payment: paymentResponse,
  ReplayedPayment: replayedPaymentResponse,
  RateLock: rateLockResponse,
  OrderStatusView: statusResponse,
  OrdersPage: ordersResponse,
  Timeline: timelineResponse,
  SettleAnswer: settleResponse,
  WebhookEvent: webhookBody,
};

const HEAD = `/* Written by \`npm run client:contract\` from the service's own schemas. Changes made here by hand are lost. */
`;

/** `client/src/contract.ts`, whole. */
export async function contractTypes(): Promise<string> {
  const parts = [
    ...Object.entries(REQUESTS).map(([name, shape]) => typeOf(name, shape, 'input')),
    ...Object.entries(ANSWERS).map(([name, shape]) => typeOf(name, shape, 'output')),
  ];
  return `${HEAD}\n${(await Promise.all(parts)).join('\n')}`;
}

async function typeOf(name: string, shape: z.ZodType, io: 'input' | 'output'): Promise<string> {
  const schema = z.toJSONSchema(shape, { io, target: 'draft-7' });
  const text = await compile(schema as object, name, {
    bannerComment: '',
    additionalProperties: false,
    style: { singleQuote: true, printWidth: 110 },
  });
  return text.trim().concat('\n');
}
