import { expect, test } from '@jest/globals';
import { type IncidentScope, incidentName, stopsClock } from '../../src/domain/incident.ts';
import { ORDER_STATUSES } from '../../src/domain/order-state.ts';

const scope = (given: Partial<IncidentScope>): IncidentScope => ({
  ...{ currency: null, method: null, chain: null },
  ...given,
});
const FIAT = ['matched', 'claimed', 'fiat_sent'];
const CHAIN = ['matched', 'confirmed', 'crypto_verify_pending'];

test.each([
  ['KES', scope({ currency: 'KES' }), FIAT],
  ['KES by mobile_money', scope({ currency: 'KES', method: 'mobile_money' }), FIAT],
  ['KES by till', scope({ currency: 'KES', method: 'till' }), []],
  ['NGN', scope({ currency: 'NGN' }), []],
  ['trx', scope({ chain: 'trx' }), CHAIN],
  ['eth', scope({ chain: 'eth' }), []],
])('an incident of %s stops the orders that wait for it', (name, incident, stopped) => {
  const order = { currency: 'KES', method: 'mobile_money', crypto_chain: 'trx' };
  expect(incidentName(incident)).toBe(name);
  expect(ORDER_STATUSES.filter((status) => stopsClock(incident, { ...order, status }))).toEqual(stopped);
});

test('the empty scope of a command without options has no name', () => {
  expect(incidentName(scope({}))).toBe('');
});
