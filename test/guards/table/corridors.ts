import { inFile } from '../guard.ts';

const UNIT = 'test/unit/corridors.test.ts';
const API = 'test/api/corridors.test.ts';

/** Where fiat may go, and who sees the recipient. Fiat that is sent to a wrong recipient is lost. */
export const CORRIDOR_GUARDS = [
  ...inFile('src/market/corridors/list-faults.ts', UNIT, [
    ['corridor: a phone number belongs to the corridor’s countries',
      ' && countries.includes(String(phone.country))', '', 'and no reason repeats it'],
    ['corridor: an IBAN has its check digits', 'isValidIBAN(value) && ', 'isValidIBAN && ',
      'and no reason repeats it'],
    ['corridor: a recipient has no other fields', '...(unknown.length > 0', '...(unknown.length < 0',
      'are checked by name']]),
  ...inFile('src/market/corridors/resolve-delivery.ts', UNIT, [
    ['corridor: the amount is within the method’s limits', ' || decimal(amount).gt(method.max)', '',
      'have a minimum and a maximum, exactly'],
    ['corridor: test recipients exist in a sandbox only',
      'if (settings.sandbox && isTestRecipient(recipient))', 'if (isTestRecipient(recipient))',
      'may be a test recipient of every corridor in a sandbox, and nowhere else'],
    ['corridor: two recipients in one request agree', 'if (recipient !== undefined && readBare(',
      'if (recipient === null && readBare(',
      'may be sent with the same bare recipient, and not with another']]),
  ...inFile('src/market/pricing/rate-locks.ts', API, [
    ['corridor: a rate lock is for its method', '  lock.method === method &&\n', '',
      'may use a rate lock of its own method only']]),
  ...inFile('src/domain/offer-view.ts', API, [
    ['corridor: offers mask the recipient', 'recipient_masked: maskRecipient(row.recipient)',
      "recipient_masked: row.recipient || maskRecipient('')",
      'sees method, institution and the masked recipient before its claim'],
    ['corridor: only the owner sees the recipient’s fields',
      'recipient_details: ifOwned(row.recipient_details)', 'recipient_details: row.recipient_details ?? null',
      'no longer sees the recipient once it has lost the order']]),
  ...inFile('src/orders/payment.ts', API, [
    ['corridor: a replay masks the recipient’s fields', 'recipient_details: maskDetails(recipient_details)',
      'recipient_details: maskDetails && recipient_details', 'and masked in a replay']]),
];
