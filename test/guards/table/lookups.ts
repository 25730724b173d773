import type { Guard } from '../guard.ts';

const BUDGET = 'src/http/access/node-lookups.ts';
const ATTACKS = 'test/attacks/node-lookups.test.ts';
const SHARED = { file: ATTACKS, name: 'share their look-ups of accounts, however many register' };

/** How often LPs have a chain's node asked. Anybody may register as an LP, and many times. */
export const LOOKUPS: readonly Guard[] = [
  {
    name: 'look-up: LPs that are not approved share theirs',
    file: BUDGET,
    text: "const isApproved = status === 'approved';",
    without: 'const isApproved = status !== undefined;',
    attack: SHARED,
  },
  {
    name: 'look-up: an approved LP has a limit as well',
    file: BUDGET,
    text: 'if (max === 0) return;',
    without: 'if (max === 0 || isApproved) return;',
    attack: { file: ATTACKS, name: 'leave an approved LP its own, and a suspended LP is not approved' },
  },
  {
    name: 'look-up: that of an account counts',
    file: 'src/market/pricing/receive-address.ts',
    text: 'if (!simulated) await countLookup();',
    without: 'if (simulated) await countLookup();',
    attack: SHARED,
  },
  {
    name: 'look-up: that of a deposit counts',
    file: 'src/market/collateral/verify-deposit.ts',
    text: 'if (!verifier.simulated) await uncountedIfRefused(countNodeLookup());',
    without: '',
    attack: { file: ATTACKS, name: 'share them with their look-ups of deposits' },
  },
  {
    name: 'look-up: a refused one does not count for the deposit',
    file: 'src/market/collateral/verify-deposit.ts',
    text: 'await uncountedIfRefused(countNodeLookup())',
    without: 'await countNodeLookup()',
    attack: { file: ATTACKS, name: 'share them with their look-ups of deposits' },
  },
  {
    name: 'look-up: registrations of addresses of an LP have a rate limit',
    file: 'src/api/resources/lp-terms/routes.ts',
    text: "keyLimit: { name: 'asset', max: settings.limits.asset },",
    without: '',
    attack: { file: ATTACKS, name: 'an LP’s registrations of addresses have a limit of their own' },
  },
];
