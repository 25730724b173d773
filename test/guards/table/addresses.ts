import { inFile } from '../guard.ts';

const SCHEMA = 'src/db/migrations/functions.sql';
const HELD = 'test/attacks/held-addresses.test.ts';

/** Where an LP may receive crypto. Crypto that is sent to a wrong address is lost, or counts for another party. */
export const ADDRESS_GUARDS = [
  ...inFile('src/market/pricing/accepted-tokens.ts', 'test/unit/receive-addresses.test.ts', [
    ['address: it is one of its chain', 'if (!verifier.isAddress(address))', 'if (!verifier)',
      'no LP receives at'],
    ['address: no burn address', 'if (isBurnAddress(chain, address))', 'if (!isBurnAddress)',
      'no LP receives at'],
    ['address: no contract or issuer of a token', 'if (verifier.tokenAddresses.some(isAddress))',
      'if (!isAddress)', 'no LP receives at'],
    ['address: not the platform’s own',
      'if (depositAddress !== null && isAddress(depositAddress) && isDepositTag)',
      'if (depositAddress !== null && !isDepositTag)', 'no LP receives at'],
    ['address: none of the platform’s reserves', 'if (verifier.reserveAddresses.some(isAddress))',
      'if (!isAddress)', 'no LP receives at']]),
  ...inFile('src/adapters/addresses.ts', 'test/unit/receive-addresses.test.ts', [
    ['address: the checksum of an EVM address', 'digits === lower || digits === checksummed(lower)',
      'digits === lower || digits !== checksummed(lower) || true', 'no LP receives at'],
    ['address: EVM addresses compare without case', 'one.toLowerCase() === other.toLowerCase()',
      'one === other', 'no LP receives at']]),
  ...inFile(SCHEMA, 'test/api/receive-addresses.test.ts', [
    ['address: it belongs to one LP', 'where lp_address.lp_id = taker or (', 'where true or (',
      'which the database enforces, even for a direct insert']]),
  ...inFile('src/db/migrations/before-tables.sql', 'test/api/receive-addresses.test.ts', [
    ['address: it belongs to one LP in any letter case',
      "return case when chain in ('eth', 'polygon', 'base') then lower(address) else address end",
      'return address', 'in any letter case']]),
  ...inFile(SCHEMA, 'test/attacks/squatted-addresses.test.ts', [
    ['address: an LP that was never approved keeps none from others', 'if approved is not null then',
      'if approved is not null or true then', 'does not keep an address from an approved LP'],
    ['address: with its approval an LP gets its addresses',
      'when (old.approved_at is null and new.approved_at is not null) execute function on_first_approval();',
      'when (false) execute function on_first_approval();',
      'gets an address once, when ten of them are approved'],
    ['address: an approval waits for a registration',
      'select approved_at into approved from lp where id = new.lp_id for share;',
      'select approved_at into approved from lp where id = new.lp_id;',
      'holds an address that any other statement gives it while it is approved'],
    ['address: orders keep it for their LP for 30 days',
      "select max(coalesce(completed_at, cancelled_at, 'infinity') + interval '30 days') from orders",
      'select max(completed_at) from orders', 'stays the LP’s while an order is paid there'],
    ['address: claims that may have read it have ended',
      "else xact_start < lp_address.vacated_at + interval '1 minute' end)", 'else false end)',
      'stays the LP’s until every claim that may have read it has ended'],
    ['address: claims of another role have ended', 'then backend_xmin is not null and has_table',
      "then datname = '' and has_table", 'stays the LP’s until every claim of another role has ended'],
    ['address: an LP does not register again what an admin has taken',
      "and created_at > now() - interval '30 days'\n      ) then",
      "and created_at > now() + interval '30 days'\n      ) then", 'is free for its owner after a minute'],
    ['address: a release waits for a registration', 'perform from lp where id = holder for no key update;',
      'perform from lp where id = holder;',
      'also of an LP that registers it for another token at the same time']]),
  ...inFile(SCHEMA, HELD, [
    ['address hold: claims go on with the previous address',
      'coalesce(previous_until > now(), false) as waits', 'coalesce(previous_until < now(), false) as waits',
      'until the time that the response names has passed'],
    ['address hold: the previous address stays the LP’s meanwhile',
      'update lp_address address set vacated_at = greatest(now(), (',
      'update lp_address address set vacated_at = least(now(), (', 'another LP can register neither'],
    ['address hold: an admin’s release cancels a change that waits',
      'where lp_id = holder and chain = on_chain and lp_asset.receive_key = key and previous_until > now()',
      'where lp_id = holder and chain = on_chain and lp_asset.receive_key = key and previous_until < now()',
      'the address that waits: the LP keeps its previous one']]),
  ...inFile('src/market/lps/register-asset.ts', HELD, [
    ['address hold: a further change starts it again',
      "then now() + nullif($6::bigint, 0) * interval '1 millisecond'",
      "then coalesce(known.previous_until, now() + nullif($6::bigint, 0) * interval '1 millisecond')",
      'and each change starts the time again'],
    ['address hold: a further change goes on with the address in use',
      "previous_address = ${inUse('address')},", 'previous_address = known.address,',
      'when the thief sends twenty changes at once'],
    ['address hold: another spelling is the same address',
      'where known.receive_key <> receive_key($3, $4, $5)', 'where known.address <> $4',
      'in another spelling']]),
  ...inFile('src/market/pricing/receive-address.ts', 'test/system/chains/xrpl.test.ts', [
    ['address: an account that requires a destination tag has one', '  if (required)\n',
      '  if (required && destinationTag !== null)\n', 'needs a tag if the account requires one']]),
];
