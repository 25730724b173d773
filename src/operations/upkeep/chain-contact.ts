import type { Logger } from 'pino';
import type { Chains, ChainVerifier } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';
import type { Chain } from '../../domain/assets.ts';
import { decimal } from '../../domain/money.ts';

const [SHORTEST_MS, LONGEST_MS] = [1_000, 15_000];
/** Nodes are asked several times before they count as away. */
const TIMES_PER_THRESHOLD = 4;

export interface ChainContactDeps {
  db: Database;
  chains: Chains;
  log: Logger;
  /** Milliseconds; a node that does not answer for longer is away. */
  outageThreshold: number;
}

/**
 * Every worker asks the node of each real chain for a transaction that does not exist, as a verification does, and records
 * whether it answers. An answer to any worker counts, so the broken network of one worker does not make a chain look away. With
 * one worker, Corridor cannot distinguish the two, and can verify nothing in either case.
 */
export function startChainContact({ db, chains, log, outageThreshold }: ChainContactDeps): {
  close: () => Promise<void>;
} {
  const real = [...chains].filter(([, { simulated }]) => !simulated);
  const everyMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, outageThreshold / TIMES_PER_THRESHOLD));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let asking = real.length > 0 ? askAll() : Promise.resolve();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await asking;
    },
  };

  async function askAll(): Promise<void> {
    await Promise.all(real.map(([chain, verifier]) => ask(chain, verifier)));
    if (closed) return;
    timer = setTimeout(() => {
      asking = askAll();
    }, everyMs);
  }

  async function ask(chain: Chain, verifier: ChainVerifier): Promise<void> {
    const failure = await verifier.verify(missingPayment(verifier)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure) log.warn({ err: failure, chain }, 'the node of a chain does not answer');
    await recordContact(db, chain, failure === undefined).catch((error) =>
      log.warn({ err: error, chain }, 'could not record whether the node of a chain answers'),
    );
  }
}

/** A payment by a transaction that no chain has. */
const missingPayment = ({ tokens, depositAddress }: ChainVerifier) => ({
  symbol: tokens?.keys().next().value ?? 'usdt',
  txHash: '0'.repeat(64),
  recipient: depositAddress ?? '',
  destinationTag: null,
  amount: decimal(1).toFixed(),
  notBefore: new Date(0),
  dueBy: null,
  platformMaySend: false,
});

const RECORD = `
  insert into chain_contact (chain, asked_at, silent_since) values ($1, now(), case when $2::boolean then null else now() end)
  on conflict (chain) do update set asked_at = excluded.asked_at,
    silent_since = case when $2::boolean then null else coalesce(chain_contact.silent_since, excluded.silent_since) end`;

/** Records whether the chain's node has answered now. */
export async function recordContact(db: Database, chain: Chain, answers: boolean): Promise<void> {
  await db.query('chain-contact', RECORD, [chain, answers]);
}
