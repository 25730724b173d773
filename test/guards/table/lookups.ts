import { inFile } from '../guard.ts';

const ATTACKS = 'test/attacks/node-lookups.test.ts';

/** How often LPs have a chain's node asked. Anybody may register as an LP, and many times. */
export const LOOKUPS = [
  ...inFile('src/http/access/node-lookups.ts', ATTACKS, [
    ['look-up: LPs that are not approved share theirs', "const isApproved = status === 'approved';",
      'const isApproved = status !== undefined;', 'share their look-ups of accounts, however many register'],
    ['look-up: an approved LP has a limit as well', 'if (max === 0) return;',
      'if (max === 0 || isApproved) return;',
      'leave an approved LP its own, and a suspended LP is not approved']]),
  ...inFile('src/market/pricing/receive-address.ts', ATTACKS, [
    ['look-up: that of an account counts', 'if (!simulated) await countLookup();',
      'if (simulated) await countLookup();', 'share their look-ups of accounts, however many register']]),
  ...inFile('src/market/collateral/verify-deposit.ts', ATTACKS, [
    ['look-up: that of a deposit counts',
      'if (!verifier.simulated) await uncountedIfRefused(countNodeLookup());', '',
      'share them with their look-ups of deposits'],
    ['look-up: a refused one does not count for the deposit', 'await uncountedIfRefused(countNodeLookup())',
      'await countNodeLookup()', 'share them with their look-ups of deposits']]),
  ...inFile('src/api/resources/lp-terms/routes.ts', ATTACKS, [
    ['look-up: registrations of addresses of an LP have a rate limit',
      "keyLimit: { name: 'asset', max: settings.limits.asset },", '',
      'an LP’s registrations of addresses have a limit of their own']]),
];
