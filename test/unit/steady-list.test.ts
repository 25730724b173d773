import { describe, expect, test } from '@jest/globals';
import { keepPlaces } from '../../console/src/lp/steady-list.ts';

type Offer = Parameters<typeof keepPlaces>[1][number];
const offers = (...ids: number[]) => ids.map((id) => ({ id }) as Offer);
const shown = ({ rows }: ReturnType<typeof keepPlaces>) =>
  rows.map(({ offer, isOpen }) => (isOpen ? offer.id : -offer.id));

describe('the places of open orders', () => {
  test('follow the ranking while the pointer is elsewhere', () => {
    const list = keepPlaces([], offers(3, 1, 2));
    expect([shown(list), list.waiting]).toEqual([[3, 1, 2], 0]);
  });

  test('stay while the pointer is on one: closed orders keep their place, newer orders wait, and better orders do not rise', () => {
    const list = keepPlaces(offers(1, 2, 3), offers(9, 3, 1, 8));
    expect([shown(list), list.waiting]).toEqual([[1, -2, 3], 2]);
  });

  test('show the offer as it is now', () => {
    const better = { id: 1, est_profit_usd: 2 } as Offer;
    expect(keepPlaces(offers(1), [better]).rows[0]?.offer).toBe(better);
  });

  test('are free again when all of them are closed', () => {
    const list = keepPlaces(offers(1, 2), offers(5));
    expect([shown(list), list.waiting]).toEqual([[5], 0]);
  });
});
