import type { Guard } from '../guard.ts';

const ACCEPTED = 'src/pricing/accepted-tokens.ts';
const ADDRESSES = 'src/adapters/addresses.ts';
const SCHEMA = 'src/db/migrations/initial.sql';
const NO_LP = { file: 'test/unit/receive-addresses.test.ts', name: 'no LP receives at' };
const ONE_LP = 'test/api/receive-addresses.test.ts';

/** Where an LP may receive crypto. Crypto that is sent to a wrong address is lost, or counts for another party. */
export const ADDRESS_GUARDS: readonly Guard[] = [
  {
    name: 'address: it is one of its chain',
    file: ACCEPTED,
    text: 'if (!verifier.isAddress(address))',
    without: 'if (!verifier)',
    attack: NO_LP,
  },
  {
    name: 'address: the checksum of an EVM address',
    file: ADDRESSES,
    text: 'digits === lower || digits === checksummed(lower)',
    without: 'digits === lower || digits !== checksummed(lower) || true',
    attack: NO_LP,
  },
  {
    name: 'address: no burn address',
    file: ACCEPTED,
    text: 'if (isBurnAddress(chain, address))',
    without: 'if (!isBurnAddress)',
    attack: NO_LP,
  },
  {
    name: 'address: no contract or issuer of a token',
    file: ACCEPTED,
    text: 'if (verifier.tokenAddresses.some(isAddress))',
    without: 'if (!isAddress)',
    attack: NO_LP,
  },
  {
    name: 'address: not the platform’s own',
    file: ACCEPTED,
    text: 'if (depositAddress !== null && isAddress(depositAddress) && isDepositTag)',
    without: 'if (depositAddress !== null && !isDepositTag)',
    attack: NO_LP,
  },
  {
    name: 'address: EVM addresses compare without case',
    file: ADDRESSES,
    text: 'one.toLowerCase() === other.toLowerCase()',
    without: 'one === other',
    attack: NO_LP,
  },
  {
    name: 'address: it belongs to one LP',
    file: SCHEMA,
    text: 'do update set lp_id = new.lp_id where lp_address.lp_id = new.lp_id;',
    without: 'do update set lp_id = new.lp_id;',
    attack: { file: ONE_LP, name: 'which the database enforces, even for a direct insert' },
  },
  {
    name: 'address: it belongs to one LP in any letter case',
    file: SCHEMA,
    text: "return case when chain in ('eth', 'polygon', 'base') then lower(address) else address end",
    without: 'return address',
    attack: { file: ONE_LP, name: 'in any letter case' },
  },
  {
    name: 'address: an account that requires a destination tag has one',
    file: 'src/pricing/receive-address.ts',
    text: '  if (required)\n',
    without: '  if (required && destinationTag !== null)\n',
    attack: { file: 'test/chains/xrpl.test.ts', name: 'needs a tag if the account requires one' },
  },
];
