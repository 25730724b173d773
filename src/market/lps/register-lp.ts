import { Lp, LpTerm } from '../../db/entities/lp.ts';
import { User } from '../../db/entities/user.ts';
import { openAccount } from '../../db/ledger/open-account.ts';
import type { Database } from '../../db/orm.ts';
import type { LpStatus } from '../../domain/lp-status.ts';
import { crashPoint } from '../../process/crash-point.ts';

export interface NewLp {
  keyHash: Buffer;
  xrplAddress: string;
  mpesaPhone: string;
  displayName: string | undefined;
  spreadBps: number;
  status: LpStatus;
  /** The first terms. `rate_usd`: units per USD, decimal string. */
  rates: { currency: string; method: string; rate_usd: string }[];
  /** Until when the rates hold. */
  validUntil: Date;
}

/** Creates an LP with its user, its rates and an empty collateral account, in one transaction. */
export async function registerLp(db: Database, lp: NewLp): Promise<{ lpId: number; userId: number }> {
  const made = await db.em().transactional(async (em) => {
    const name = lp.displayName ?? null;
    const userId = await em.insert(User, { name });
    // The default name contains the id.
    const [{ id: lpId }] = await em.execute<[{ id: number }]>(`select nextval('lp_id_seq') as id`);
    await em.insert(Lp, {
      id: lpId,
      key_hash: lp.keyHash,
      user_id: userId,
      xrpl_address: lp.xrplAddress,
      mpesa_phone: lp.mpesaPhone,
      display_name: name ?? `LP ${lpId}`,
      status: lp.status,
      spread_bps: lp.spreadBps,
    });
    await openAccount(em, lpId);
    const terms = lp.rates.map((rate) => ({ ...rate, lp_id: lpId, valid_until: lp.validUntil }));
    if (terms.length > 0) await em.insertMany(LpTerm, terms);
    return { lpId, userId: Number(userId) };
  });
  crashPoint('registration.committed');
  return made;
}
