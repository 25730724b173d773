import type { Guard } from '../guard.ts';

const CHECKS = 'src/market/corridors/recipient-checks.ts';
const RESOLVER = 'src/adapters/recipient-resolver-http.ts';
const JUDGE = 'src/domain/recipient-check.ts';
const MATCH = 'src/domain/name-match.ts';
const ATTACK = 'test/attacks/recipients.test.ts';
const RESOLVERS = 'test/attacks/recipient-resolvers.test.ts';
const UNIT = 'test/unit/name-match.test.ts';

/** The owner of a recipient's account. A payer that trusts a false match pays the wrong person. */
export const RECIPIENT_GUARDS: readonly Guard[] = [
  {
    name: 'recipient check: belongs to its agent',
    file: CHECKS,
    text: 'findOne(RecipientCheck, { id, agent_key_id })',
    without: 'findOne(RecipientCheck, { id })',
    attack: { file: ATTACK, name: 'is unknown to another agent' },
  },
  {
    name: 'recipient check: is for the payment’s corridor and recipient',
    file: CHECKS,
    text: '!check.recipient_hash.equals(hashOf(id, recipientKey(delivery)))',
    without: '!check.recipient_hash.equals(check.recipient_hash)',
    attack: { file: ATTACK, name: 'for another recipient, method or institution' },
  },
  {
    name: 'recipient check: is for the payment’s name',
    file: CHECKS,
    text: '!name_hash.equals(hashOf(id, nameKey(recipientName)))',
    without: '!name_hash.equals(name_hash)',
    attack: { file: ATTACK, name: 'for another name than the one that was compared' },
  },
  {
    name: 'recipient check: expires',
    file: CHECKS,
    text: 'check.expires_at.getTime() <= Date.now()',
    without: 'check.expires_at.getTime() <= 0',
    attack: { file: ATTACK, name: 'once it has expired' },
  },
  {
    name: 'recipient check: a name without words is no name',
    file: JUDGE,
    text: 'nameWords(resolved.name).length === 0',
    without: 'nameWords(resolved.name).length < 0',
    attack: { file: RESOLVERS, name: 'with a name of invisible characters' },
  },
  {
    name: 'recipient check: without an expected name it is no match',
    file: JUDGE,
    text: "expected === undefined ? 'partial'",
    without: "expected === undefined ? 'matched'",
    attack: { file: UNIT, name: 'without an expected name is partial where the account exists' },
  },
  {
    name: 'recipient check: the name is masked',
    file: JUDGE,
    text: 'name_masked: maskName(resolved.name)',
    without: 'name_masked: resolved.name || maskName(resolved.name)',
    attack: { file: ATTACK, name: 'neither the response nor the database contains the full name' },
  },
  {
    name: 'recipient check: initials alone are no match',
    file: MATCH,
    text: 'pairs.some((word) => !isInitial(word))',
    without: 'pairs.some((word) => word || !isInitial(word))',
    attack: { file: UNIT, name: 'another name is not matched' },
  },
  {
    name: 'recipient check: every word has a partner of its own',
    file: MATCH,
    text: 'if (initialsFit(left, right))',
    without: 'if (initialsFit([], right))',
    attack: { file: UNIT, name: 'another name is not matched' },
  },
  {
    name: 'recipient check: an agent has few tries for a recipient',
    file: 'src/api/resources/recipients/routes.ts',
    text: 'if (!within)',
    without: 'if (within === undefined)',
    attack: { file: ATTACK, name: 'a recipient can be checked ten times in an hour' },
  },
  {
    name: 'recipient check: all spellings of an account share the tries',
    file: 'src/market/corridors/resolve-delivery.ts',
    text: ".replace(/[^\\p{L}\\p{N}]/gu, '')",
    without: '.trim()',
    attack: { file: ATTACK, name: 'a recipient of a currency without a corridor has the same limit' },
  },
  {
    name: 'recipient check: an agent has a limit of calls',
    file: 'src/api/resources/recipients/routes.ts',
    text: 'max: settings.limits.recipientChecks',
    without: 'max: settings.limits.recipientChecks * 0',
    attack: { file: ATTACK, name: 'parallel calls of one agent have one limit' },
  },
  {
    name: 'recipient check: only the owner sees it',
    file: 'src/domain/offer-view.ts',
    text: 'recipient_check: ifOwned(row.recipient_check)',
    without: 'recipient_check: row.recipient_check ?? null',
    attack: {
      file: 'test/api/recipients.test.ts',
      name: 'shows it to its agent, to the LP that owns the order',
    },
  },
  {
    name: 'recipient resolver: a redirect is not followed',
    file: RESOLVER,
    text: "redirect: 'error'",
    without: "redirect: 'follow'",
    attack: { file: RESOLVERS, name: 'with the status' },
  },
  {
    name: 'recipient resolver: requests are signed',
    file: RESOLVER,
    text: 'headers: { ...signature,',
    without: "headers: { 'webhook-id': String(signature['webhook-id']),",
    attack: { file: RESOLVERS, name: 'is signed, and contains only the account' },
  },
  {
    name: 'recipient resolver: an answer has a bounded length',
    file: 'src/adapters/bounded-json.ts',
    text: 'if (text.length > maxLength)',
    without: 'if (text.length < 0)',
    attack: { file: RESOLVERS, name: 'with a body of 32 MB before the name' },
  },
  {
    name: 'recipient resolver: an answer comes within three seconds',
    file: RESOLVER,
    text: 'signal: AbortSignal.timeout(TIMEOUT_MS)',
    without: 'signal: AbortSignal.timeout(TIMEOUT_MS * 1_000)',
    attack: { file: RESOLVERS, name: 'by answering too late, or by beginning an answer' },
  },
];
