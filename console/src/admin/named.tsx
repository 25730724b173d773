import type { SearchedKind } from '../../../src/api/resources/search/schemas.ts';
import { linkTo } from '../route.ts';

/** Lists are newest first: with the cursor id + 1, one begins with the row. */
const from = (path: string) => (id: number) => linkTo(path, { cursor: id + 1 });

/** The page that shows each kind. */
export const PAGES: Record<SearchedKind, (id: number) => string> = {
  order: (id) => linkTo(`orders/${id}`),
  agent_key: () => linkTo('keys'),
  lp: from('lps'),
  user: from('users'),
  deposit: () => linkTo('ledger'),
  withdrawal: from('withdrawals'),
  admin: (id) => linkTo('audit', { actor: `admin:${id}` }),
  posting: () => linkTo('ledger'),
};

/** A key, an LP or a user by its name, with a link to its row. */
export const Named = ({
  kind,
  id,
  name,
}: {
  kind: SearchedKind;
  id: number;
  name?: string | null | undefined;
}) => <a href={PAGES[kind](id)}>{name ? `${name} (${id})` : id}</a>;
