import type pg from 'pg';
import { ACCOUNTS } from '../../src/db/ledger/accounts.ts';
import { hashKey, newAgentKey, newLpKey } from '../../src/http/access/keys.ts';

export interface SeededAgent {
  id: number;
  key: string;
  userId: number;
}

export interface SeededLp {
  id: number;
  key: string;
  address: string;
}

/** Agents and LPs with their keys. The first of each are the busiest; the last have not traded yet. */
export interface Actors {
  agents: SeededAgent[];
  lps: SeededLp[];
}

const AGENTS = 40;
const LPS = 64;
/** USD; enough for all orders of a run at the same time. */
const COLLATERAL = 100_000_000;
/** For each currency, its units for a dollar and its percentage of the orders. */
export const CURRENCIES = { KES: ['129.5', 70], UGX: ['3680', 20], TZS: ['2510', 10] } as const;

/** Creates agents, each with a user, and approved LPs with terms, collateral and a USDT address on Tron. */
export async function createActors(client: pg.Client): Promise<Actors> {
  const agentKeys = Array.from({ length: AGENTS }, newAgentKey);
  const lpKeys = Array.from({ length: LPS }, newLpKey);
  const agents = await client.query<{ id: string; user_id: string }>(
    `with agent as (
       insert into agent_key (name, key_hash, max_exposure_usd) select 'agent ' || place, key_hash, 0
       from unnest($1::bytea[]) with ordinality as key (key_hash, place) order by place returning id
     ),
     person as (insert into app_user (name) select 'payer' from agent returning id)
     select agent.id, person.id as user_id
     from (select id, row_number() over (order by id) as place from agent) agent
     join (select id, row_number() over (order by id) as place from person) person using (place)
     order by agent.id`,
    [agentKeys.map(hashKey)],
  );
  const rates = JSON.stringify(Object.entries(CURRENCIES).map(([currency, [rate]]) => ({ currency, rate })));
  const lps = await client.query<{ id: string; address: string }>(
    `with person as (insert into app_user (name) select 'LP' from unnest($1::bytea[]) returning id),
     made as (
       insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status, spread_bps)
       select key.key_hash, person.id, 'rLedgerAccount', '+254711000001', 'LP ' || place, 'approved', place
       from unnest($1::bytea[]) with ordinality as key (key_hash, place)
       join (select id, row_number() over (order by id) as place from person) person using (place)
       order by place returning id
     ),
     rate as (
       insert into lp_term (lp_id, currency, method, rate_usd, valid_until)
       select made.id, r.currency, 'mobile_money', r.rate, now() + interval '1 day' from made, json_to_recordset($2) r (currency varchar, rate numeric)
     ),
     collateral as (insert into lp_collateral (lp_id, available) select id, $3 from made),
     asset as (
       insert into lp_asset (lp_id, symbol, chain, address) select id, 'usdt', 'trx', 'T' || md5('asset' || id) from made
       returning lp_id, address
     ),
     deposit as (
       insert into collateral_deposit (lp_id, amount, asset, chain, status, expires_at, confirmed_at)
       select id, $3, 'usdt', 'trx', 'confirmed', now(), now() from made returning id, lp_id, amount
     ),
     posted as (
       insert into ledger_transfer (key, debit, credit, amount, deposit_id)
       select 'deposit/' || id, '${ACCOUNTS.outside}', '${ACCOUNTS.lpAvailable("' || lp_id || '")}', amount, id from deposit
     )
     select lp_id as id, address from asset order by lp_id`,
    [lpKeys.map(hashKey), rates, COLLATERAL],
  );
  return {
    agents: agents.rows.map(({ id, user_id }, i) => ({
      ...{ id: Number(id), key: agentKeys[i] as string, userId: Number(user_id) },
    })),
    lps: lps.rows.map(({ id, address }, i) => ({ id: Number(id), key: lpKeys[i] as string, address })),
  };
}
