import type { Guard } from '../guard.ts';

const FAULTS = 'src/market/corridors/list-faults.ts';
const RESOLVE = 'src/market/corridors/resolve-delivery.ts';
const VIEW = 'src/domain/offer-view.ts';
const UNIT = 'test/unit/corridors.test.ts';
const API = 'test/api/corridors.test.ts';

/** Where fiat may go, and who sees the recipient. Fiat that is sent to a wrong recipient is lost. */
export const CORRIDOR_GUARDS: readonly Guard[] = [
  {
    name: 'corridor: a phone number belongs to the corridor’s countries',
    file: FAULTS,
    text: ' && countries.includes(String(phone.country))',
    without: '',
    attack: { file: UNIT, name: 'and no reason repeats it' },
  },
  {
    name: 'corridor: an IBAN has its check digits',
    file: FAULTS,
    text: 'isValidIBAN(value) && ',
    without: 'isValidIBAN && ',
    attack: { file: UNIT, name: 'and no reason repeats it' },
  },
  {
    name: 'corridor: a recipient has no other fields',
    file: FAULTS,
    text: '...(unknown.length > 0',
    without: '...(unknown.length < 0',
    attack: { file: UNIT, name: 'are checked by name' },
  },
  {
    name: 'corridor: the amount is within the method’s limits',
    file: RESOLVE,
    text: ' || decimal(amount).gt(method.max)',
    without: '',
    attack: { file: UNIT, name: 'have a minimum and a maximum, exactly' },
  },
  {
    name: 'corridor: test recipients exist in a sandbox only',
    file: RESOLVE,
    text: 'if (settings.sandbox && isTestRecipient(recipient))',
    without: 'if (isTestRecipient(recipient))',
    attack: { file: UNIT, name: 'may be a test recipient of every corridor in a sandbox, and nowhere else' },
  },
  {
    name: 'corridor: two recipients in one request agree',
    file: RESOLVE,
    text: 'if (recipient !== undefined && readBare(',
    without: 'if (recipient === null && readBare(',
    attack: { file: UNIT, name: 'may be sent with the same bare recipient, and not with another' },
  },
  {
    name: 'corridor: a rate lock is for its method',
    file: 'src/market/pricing/rate-locks.ts',
    text: '  lock.method === method &&\n',
    without: '',
    attack: { file: API, name: 'may use a rate lock of its own method only' },
  },
  {
    name: 'corridor: offers mask the recipient',
    file: VIEW,
    text: 'recipient_masked: maskRecipient(row.recipient)',
    without: "recipient_masked: row.recipient || maskRecipient('')",
    attack: { file: API, name: 'sees method, institution and the masked recipient before its claim' },
  },
  {
    name: 'corridor: only the owner sees the recipient’s fields',
    file: VIEW,
    text: 'recipient_details: ifOwned(row.recipient_details)',
    without: 'recipient_details: row.recipient_details ?? null',
    attack: { file: API, name: 'no longer sees the recipient once it has lost the order' },
  },
  {
    name: 'corridor: a replay masks the recipient’s fields',
    file: 'src/orders/payment.ts',
    text: 'recipient_details: maskDetails(recipient_details)',
    without: 'recipient_details: maskDetails && recipient_details',
    attack: { file: API, name: 'and masked in a replay' },
  },
];
