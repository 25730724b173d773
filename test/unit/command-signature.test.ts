import { expect, test } from '@jest/globals';
import { type SignedCommand, signatureFault, signCommand } from '../../src/temporal/command-signature.ts';

const SECRET = 'a-secret-of-some-length';
const AT = 1_790_000_000_000;
const claim: SignedCommand = {
  orderId: 7,
  requestId: '8293facd-7507-417a-a094-3229737687c4',
  actor: 'lp:3',
  command: { trigger: 'release', lpId: 3, freeSince: '2026-11-22T10:00:00.000Z' },
  forVersion: 2,
};
const signature = signCommand(SECRET, claim, AT);
const fault = (changes: Partial<SignedCommand>, given: unknown = signature, now = AT) =>
  signatureFault([SECRET], { ...claim, ...changes, signature: given as string }, now);

test('a signature fits its command after JSON, in any order of fields, and with fields that the workflow adds', () => {
  const { trigger, ...fields } = claim.command as Extract<typeof claim.command, { trigger: 'release' }>;
  expect(fault({})).toBeUndefined();
  expect(fault({ command: { ...fields, trigger } })).toBeUndefined();
  expect(fault({ command: { ...fields, trigger, found: 'not_reofferable' } })).toBeUndefined();
  expect(
    fault(JSON.parse(JSON.stringify({ command: { ...claim.command, left: undefined } }))),
  ).toBeUndefined();
});

test.each<Partial<SignedCommand>>([
  { orderId: 8 },
  { requestId: '8293facd-7507-417a-a094-3229737687c5' },
  { actor: 'lp:4' },
  { command: { trigger: 'release', lpId: 4, freeSince: '2026-11-22T10:00:00.000Z' } },
  { command: { trigger: 'release', lpId: 3, freeSince: '2026-11-22T10:00:00.001Z' } },
  { command: { trigger: 'fiatSent', lpId: 3 } },
  { forVersion: 3 },
  { forVersion: undefined },
])('a signature does not fit %j', (changes) => {
  expect(fault(changes)).toBe('wrong');
});

test('every changed character makes a signature void, except unused bits of the last one', () => {
  for (let index = 0; index < signature.length - 1; index++) {
    const other = signature[index] === '1' ? '2' : '1';
    const changed = signature.slice(0, index) + other + signature.slice(index + 1);
    expect([index, fault({}, changed)]).toEqual([index, 'wrong']);
  }
});

test.each([undefined, null, '', 7, {}])('%j is no signature', (given) => {
  expect(signatureFault([SECRET], { ...claim, signature: given as string }, AT)).toBe('missing');
});

test('a signature ends half a day after it was made', () => {
  const half = 12 * 3_600_000;
  expect(fault({}, signature, AT + half)).toBeUndefined();
  expect(fault({}, signature, AT + half + 1)).toBe('expired');
});

test('either of two secrets may have signed, and no other', () => {
  expect(signatureFault(['another-secret-there', SECRET], { ...claim, signature }, AT)).toBeUndefined();
  expect(signatureFault(['another-secret-there'], { ...claim, signature }, AT)).toBe('wrong');
  expect(signatureFault([], { ...claim, signature }, AT)).toBe('wrong');
});
