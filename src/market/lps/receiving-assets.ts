import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';

/** Where an LP receives a token now, and the change that waits. */
export interface ReceivingAsset {
  symbol: string;
  chain: Chain;
  address: string;
  destination_tag: number | null;
  created_at: Date;
  /** The address of the change that waits. Null: none waits. */
  pending_address: string | null;
  pending_destination_tag: number | null;
  /** When the change takes effect. Null: none waits. */
  takes_effect_at: Date | null;
}

const ASSETS = `
  select symbol, chain, address, destination_tag, created_at, pending_address, pending_destination_tag, takes_effect_at
  from receiving_asset where lp_id = $1 order by created_at desc limit $2`;

/** The tokens that an LP takes, the newest first. */
export const receivingAssets = (db: Database, lpId: number, limit: number): Promise<ReceivingAsset[]> =>
  db.query<ReceivingAsset & Record<string, unknown>>('receiving-assets', ASSETS, [lpId, limit]);
