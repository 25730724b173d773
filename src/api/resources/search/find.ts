import type { Database } from '../../../db/orm.ts';
import { run, statement } from '../../../db/statement.ts';
import { CHAINS, normaliseTxHash } from '../../../domain/assets.ts';
import { normalisedHash } from '../../../orders/order-state-row.ts';
import { idOrNull } from '../../pipeline/validate.ts';
import type { SearchedKind, SearchMatch, SearchResult } from './schemas.ts';

/** Rows by each of the ways to match. */
const MOST = 10;

const KEY_STATUS = `
  case when not is_active then 'inactive' when expires_at <= now() then 'expired' else 'active' end`;
const KEY_NAME = `coalesce(name, integrator_name)`;

/** Rows whose name begins with the text. The C collation orders by bytes, so the names are one range of the index. */
const named = (
  kind: SearchedKind,
  table: string,
  column: string,
  matched: SearchMatch,
  shown: string,
): string => `
  (select '${kind}', id, '${matched}', ${shown} from ${table}
   where lower(${column}) collate "C" >= lower($text::text)
     and lower(${column}) collate "C" < lower($text::text) || U&'\\+10FFFF'
   order by lower(${column}) collate "C", id limit ${MOST})`;

const withId = (kind: SearchedKind, table: string, shown: string): string =>
  `(select '${kind}', id, 'id', ${shown} from ${table} where id = $id::bigint)`;

/** Each part reads one index. */
export const FIND = statement(
  'admin-search',
  `
  select kind, id, matched, name, status
  from (
  ${withId('order', 'orders', 'null, status')}
  union all ${withId('agent_key', 'agent_key', `${KEY_NAME}, ${KEY_STATUS}`)}
  union all ${withId('lp', 'lp', 'display_name, status')}
  union all ${withId('user', 'app_user', 'name, null')}
  union all ${withId('admin', 'admin', `name, ${KEY_STATUS}`)}
  union all (
    select 'order', id, 'payment_id', null, status from orders
    where payment_id >= $text and payment_id <= $lastPaymentId order by payment_id limit ${MOST}
  )
  union all (
    select 'order', id, 'tx_hash', null, status from orders
    where user_crypto_tx_hash is not null and ${normalisedHash('user_crypto_tx_hash')} >= $hash
      and ${normalisedHash('user_crypto_tx_hash')} <= $lastHash
    order by ${normalisedHash('user_crypto_tx_hash')}, id limit ${MOST}
  )
  union all (
    select case when t.order_id is not null then 'order' when t.deposit_id is not null then 'deposit'
        when t.withdrawal_id is not null then 'withdrawal' else 'posting' end,
      coalesce(t.order_id, t.deposit_id, t.withdrawal_id, t.posting_id), 'tx_hash', null,
      coalesce(o.status, d.status, w.status, p.kind)
    from chain_transaction t
    left join orders o on o.id = t.order_id
    left join collateral_deposit d on d.id = t.deposit_id
    left join collateral_withdrawal w on w.id = t.withdrawal_id
    left join admin_posting p on p.id = t.posting_id
    where t.chain = any ($chains::varchar[]) and t.tx_hash >= $hash and t.tx_hash <= $lastHash
      and num_nonnulls(t.order_id, t.deposit_id, t.withdrawal_id, t.posting_id) > 0
    limit ${MOST}
  )
  union all ${named('agent_key', 'agent_key', 'name', 'name', `${KEY_NAME}, ${KEY_STATUS}`)}
  union all ${named('agent_key', 'agent_key', 'integrator_name', 'integrator_name', `${KEY_NAME}, ${KEY_STATUS}`)}
  union all ${named('lp', 'lp', 'display_name', 'name', 'display_name, status')}
  union all ${named('user', 'app_user', 'name', 'name', 'name, null')}
  union all ${named('admin', 'admin', 'name', 'name', `name, ${KEY_STATUS}`)}
  ) as found (kind, id, matched, name, status)`,
);

/**
 * The last text that begins with a prefix, if only hexadecimal digits follow it. So the beginning of an id is a range of its
 * index, in any collation. Another text, also a short one that begins too many ids, equals itself only.
 */
const lastWith = (prefix: string, isPrefix: RegExp): string =>
  isPrefix.test(prefix) ? `${prefix}g` : prefix;

/** The values of the statement's parameters for a text. */
export const searchValues = (text: string) => {
  const hash = normaliseTxHash(text);
  return {
    ...{ text, hash },
    id: idOrNull(text.replace(/^#/, '')),
    lastPaymentId: lastWith(text, /^pay_[0-9a-f]{4,}$/),
    lastHash: lastWith(hash, /^[0-9a-f]{6,}$/),
    chains: [...CHAINS],
  };
};

/** The paths of the API that return what was found. Lists are newest first: with the cursor id + 1, one begins with the row. */
const LINKS: Record<SearchedKind, (id: number) => string> = {
  order: (id) => `/api/admin/orders/${id}`,
  agent_key: () => '/api/admin/agent-keys',
  lp: (id) => `/api/admin/lps?limit=1&cursor=${id + 1}`,
  user: (id) => `/api/admin/users?limit=1&cursor=${id + 1}`,
  deposit: (id) => `/api/admin/audit?object=deposit:${id}`,
  withdrawal: (id) => `/api/admin/withdrawals?limit=1&cursor=${id + 1}`,
  admin: (id) => `/api/admin/audit?actor=admin:${id}`,
  posting: (id) => `/api/admin/ledger/postings?limit=1&cursor=${id + 1}`,
};

/** Finds orders, keys, LPs, users, admins and collateral by an id, a payment id, a transaction hash or a name. */
export async function find(db: Database, text: string): Promise<SearchResult[]> {
  type Row = Omit<SearchResult, 'link'>;
  const rows = await run<Row & Record<string, unknown>>(db, FIND, searchValues(text));
  const first = new Map<string, SearchResult>();
  for (const row of rows) {
    const key = `${row.kind} ${row.id}`;
    if (!first.has(key)) first.set(key, { ...row, link: LINKS[row.kind](row.id) });
  }
  return [...first.values()];
}
