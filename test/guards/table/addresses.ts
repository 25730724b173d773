import type { Guard } from '../guard.ts';

const ACCEPTED = 'src/market/pricing/accepted-tokens.ts';
const ADDRESSES = 'src/adapters/addresses.ts';
const SCHEMA = 'src/db/migrations/initial.sql';
const NO_LP = { file: 'test/unit/receive-addresses.test.ts', name: 'no LP receives at' };
const SQUATTED = 'test/attacks/squatted-addresses.test.ts';
const HELD = 'test/attacks/held-addresses.test.ts';
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
    name: 'address: none of the platform’s reserves',
    file: ACCEPTED,
    text: 'if (verifier.reserveAddresses.some(isAddress))',
    without: 'if (!isAddress)',
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
    text: 'where lp_address.lp_id = taker or (',
    without: 'where true or (',
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
    name: 'address: an LP that was never approved keeps none from others',
    file: SCHEMA,
    text: 'if approved is not null then',
    without: 'if approved is not null or true then',
    attack: { file: SQUATTED, name: 'does not keep an address from an approved LP' },
  },
  {
    name: 'address: with its approval an LP gets its addresses',
    file: SCHEMA,
    text: 'when (old.approved_at is null and new.approved_at is not null) execute function on_first_approval();',
    without: 'when (false) execute function on_first_approval();',
    attack: { file: SQUATTED, name: 'gets an address once, when ten of them are approved' },
  },
  {
    name: 'address: an approval waits for a registration',
    file: SCHEMA,
    text: 'select approved_at into approved from lp where id = new.lp_id for share;',
    without: 'select approved_at into approved from lp where id = new.lp_id;',
    attack: { file: SQUATTED, name: 'holds the address that it registers while it is approved' },
  },
  {
    name: 'address: orders keep it for their LP for 30 days',
    file: SCHEMA,
    text: "select max(coalesce(completed_at, cancelled_at, 'infinity') + interval '30 days') from orders",
    without: 'select max(completed_at) from orders',
    attack: { file: SQUATTED, name: 'stays the LP’s while an order is paid there' },
  },
  {
    name: 'address: claims that may have read it have ended',
    file: SCHEMA,
    text: "else xact_start < lp_address.vacated_at + interval '1 minute' end)",
    without: 'else false end)',
    attack: { file: SQUATTED, name: 'stays the LP’s until every claim that may have read it has ended' },
  },
  {
    name: 'address: claims of another role have ended',
    file: SCHEMA,
    text: 'then backend_xmin is not null and has_table',
    without: "then datname = '' and has_table",
    attack: { file: SQUATTED, name: 'stays the LP’s until every claim of another role has ended' },
  },
  {
    name: 'address: an LP does not register again what an admin has taken',
    file: SCHEMA,
    text: "and created_at > now() - interval '30 days'\n      ) then",
    without: "and created_at > now() + interval '30 days'\n      ) then",
    attack: { file: SQUATTED, name: 'is free for its owner after a minute' },
  },
  {
    name: 'address: a release waits for a registration',
    file: SCHEMA,
    text: 'perform from lp where id = holder for no key update;',
    without: 'perform from lp where id = holder;',
    attack: { file: SQUATTED, name: 'also of an LP that registers it for another token at the same time' },
  },
  {
    name: 'address hold: claims go on with the previous address',
    file: SCHEMA,
    text: 'coalesce(previous_until > now(), false) as waits',
    without: 'coalesce(previous_until < now(), false) as waits',
    attack: { file: HELD, name: 'until the time that the response names has passed' },
  },
  {
    name: 'address hold: a further change starts it again',
    file: 'src/market/lps/register-asset.ts',
    text: "then now() + nullif($6::bigint, 0) * interval '1 millisecond'",
    without: "then coalesce(known.previous_until, now() + nullif($6::bigint, 0) * interval '1 millisecond')",
    attack: { file: HELD, name: 'and each change starts the time again' },
  },
  {
    name: 'address hold: a further change goes on with the address in use',
    file: 'src/market/lps/register-asset.ts',
    text: "previous_address = ${inUse('address')},",
    without: 'previous_address = known.address,',
    attack: { file: HELD, name: 'when the thief sends twenty changes at once' },
  },
  {
    name: 'address hold: another spelling is the same address',
    file: 'src/market/lps/register-asset.ts',
    text: 'where known.receive_key <> receive_key($3, $4, $5)',
    without: 'where known.address <> $4',
    attack: { file: HELD, name: 'in another spelling' },
  },
  {
    name: 'address hold: the previous address stays the LP’s meanwhile',
    file: SCHEMA,
    text: 'update lp_address address set vacated_at = greatest(now(), (',
    without: 'update lp_address address set vacated_at = least(now(), (',
    attack: { file: HELD, name: 'another LP can register neither' },
  },
  {
    name: 'address hold: an admin’s release cancels a change that waits',
    file: SCHEMA,
    text: 'where lp_id = holder and chain = on_chain and lp_asset.receive_key = key and previous_until > now()',
    without:
      'where lp_id = holder and chain = on_chain and lp_asset.receive_key = key and previous_until < now()',
    attack: { file: HELD, name: 'the address that waits: the LP keeps its previous one' },
  },
  {
    name: 'address: an account that requires a destination tag has one',
    file: 'src/market/pricing/receive-address.ts',
    text: '  if (required)\n',
    without: '  if (required && destinationTag !== null)\n',
    attack: { file: 'test/system/chains/xrpl.test.ts', name: 'needs a tag if the account requires one' },
  },
];
