import type { TransferSearch } from './ports.ts';

/** After this no further request begins, so that the search ends before the time limit of a chain check. */
const BEGIN_WITHIN_MS = 3_500;

/**
 * One step of a search. `txHash`: the transaction that it found. `next`: where the search continues; undefined: the
 * search has ended.
 */
export interface SearchStep<Place> {
  txHash?: string | undefined;
  next?: Place | undefined;
}

/**
 * Searches a chain from the newest transfers back. Anybody can send many transfers to an address, so a search makes at
 * most `mostSteps` requests. For an older transfer, the LP names the transaction.
 */
export async function boundedSearch<Place>(
  mostSteps: number,
  first: Place,
  step: (place: Place) => Promise<SearchStep<Place> | 'refused'>,
): Promise<TransferSearch> {
  const beginUntil = Date.now() + BEGIN_WITHIN_MS;
  let place = first;
  for (let steps = 0; steps < mostSteps && Date.now() < beginUntil; steps++) {
    const result = await step(place);
    if (result === 'refused')
      return { kind: 'not_searchable', reason: 'the chain’s node cannot be searched for transfers' };
    if (result.txHash !== undefined) return { kind: 'found', txHash: result.txHash };
    if (result.next === undefined) return { kind: 'not_found' };
    place = result.next;
  }
  return {
    kind: 'not_searchable',
    reason: 'the transfer is not among the newest ones, and the search goes no further back',
  };
}

/** For the coins of EVM chains and of Tron: their transfers leave no event to search for. */
export const coinNotSearchable = (symbol: string): TransferSearch => ({
  kind: 'not_searchable',
  reason: `the chain’s node cannot be searched for transfers of ${symbol}`,
});
