import { inFile } from '../guard.ts';

const ATTACK = 'test/attacks/recipients.test.ts';
const JUDGE = 'src/domain/recipient-check.ts';
const RESOLVERS = 'test/attacks/recipient-resolvers.test.ts';
const UNIT = 'test/unit/name-match.test.ts';

/** The owner of a recipient's account. A payer that trusts a false match pays the wrong person. */
export const RECIPIENT_GUARDS = [
  ...inFile('src/market/corridors/recipient-checks.ts', ATTACK, [
    ['recipient check: belongs to its agent', 'findOne(RecipientCheck, { id, agent_key_id })',
      'findOne(RecipientCheck, { id })', 'is unknown to another agent'],
    ['recipient check: is for the payment’s corridor and recipient',
      '!check.recipient_hash.equals(hashOf(id, recipientKey(delivery)))',
      '!check.recipient_hash.equals(check.recipient_hash)', 'for another recipient, method or institution'],
    ['recipient check: is for the payment’s name', '!name_hash.equals(hashOf(id, nameKey(recipientName)))',
      '!name_hash.equals(name_hash)', 'for another name than the one that was compared'],
    ['recipient check: expires', 'check.expires_at.getTime() <= Date.now()',
      'check.expires_at.getTime() <= 0', 'once it has expired']]),
  ...inFile(JUDGE, RESOLVERS, [
    ['recipient check: a name without words is no name', 'nameWords(resolved.name).length === 0',
      'nameWords(resolved.name).length < 0', 'with a name of invisible characters']]),
  ...inFile(JUDGE, UNIT, [
    ['recipient check: without an expected name it is no match', "expected === undefined ? 'partial'",
      "expected === undefined ? 'matched'", 'without an expected name is partial where the account exists']]),
  ...inFile(JUDGE, ATTACK, [
    ['recipient check: the name is masked', 'name_masked: maskName(resolved.name)',
      'name_masked: resolved.name || maskName(resolved.name)',
      'neither the response nor the database contains the full name']]),
  ...inFile('src/domain/name-match.ts', UNIT, [
    ['recipient check: initials alone are no match', 'pairs.some((word) => !isInitial(word))',
      'pairs.some((word) => word || !isInitial(word))', 'another name is not matched'],
    ['recipient check: every word has a partner of its own', 'if (initialsFit(left, right))',
      'if (initialsFit([], right))', 'another name is not matched']]),
  ...inFile('src/api/resources/recipients/routes.ts', ATTACK, [
    ['recipient check: an agent has few tries for a recipient', 'if (!within)', 'if (within === undefined)',
      'a recipient can be checked ten times in an hour'],
    ['recipient check: an agent has a limit of calls', 'max: settings.limits.recipientChecks',
      'max: settings.limits.recipientChecks * 0', 'parallel calls of one agent have one limit']]),
  ...inFile('src/market/corridors/resolve-delivery.ts', ATTACK, [
    ['recipient check: all spellings of an account share the tries', ".replace(/[^\\p{L}\\p{N}]/gu, '')",
      '.trim()', 'a recipient of a currency without a corridor has the same limit']]),
  ...inFile('src/domain/offer-view.ts', 'test/api/recipients.test.ts', [
    ['recipient check: only the owner sees it', 'recipient_check: ifOwned(row.recipient_check)',
      'recipient_check: row.recipient_check ?? null', 'shows it to its agent, to the LP that owns the order']]),
  ...inFile('src/adapters/recipient-resolver-http.ts', RESOLVERS, [
    ['recipient resolver: a redirect is not followed', "redirect: 'error'", "redirect: 'follow'",
      'with the status'],
    ['recipient resolver: requests are signed', 'headers: { ...signature,',
      "headers: { 'webhook-id': String(signature['webhook-id']),",
      'is signed, and contains only the account'],
    ['recipient resolver: an answer comes within three seconds', 'signal: AbortSignal.timeout(TIMEOUT_MS)',
      'signal: AbortSignal.timeout(TIMEOUT_MS * 1_000)', 'by answering too late, or by beginning an answer']]),
  ...inFile('src/adapters/bounded-json.ts', RESOLVERS, [
    ['recipient resolver: an answer has a bounded length', 'if (text.length > maxLength)',
      'if (text.length < 0)', 'with a body of 32 MB before the name']]),
];
