import type { z } from 'zod';
import { findAvailable } from '../../../corridors/find-available.ts';
import type { Corridor } from '../../../corridors/schema.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { corridorsResponse } from './schemas.ts';

type Shown = z.output<typeof corridorsResponse>['corridors'][number];

/** The corridors of payments. */
export const corridorRoutes = ({ db, prices, delivery, settings }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/v1/corridors',
    auth: 'none',
    summary: 'List the currencies with their methods, institutions, recipients and limits',
    description:
      'The values of `method`, `institution` and `recipient_details` that `POST /api/v1/pay` accepts for each currency. A currency that is not listed takes any `recipient`, if an LP has terms for it.',
    answers: { 200: corridorsResponse },
    refuses: [],
    handle: async () => {
      const { corridors } = delivery;
      // Rates that are an offset from a price hold only while the database has the price.
      await prices.refresh();
      const available = await findAvailable(db, corridors, settings.strikeCoolDown);
      const shown = [...corridors].map(([currency, corridor]) =>
        shownCorridor(currency, corridor, (method) => available.has(`${currency} ${method}`)),
      );
      return { status: 200, body: { corridors: shown } };
    },
  }),
];

const shownCorridor = (
  currency: string,
  { methods, ...corridor }: Corridor,
  isAvailable: (method: string) => boolean,
): Shown => ({
  currency,
  ...corridor,
  methods: Object.entries(methods).map(([method, facts]) => ({
    method,
    ...facts,
    available: isAvailable(method),
  })),
});
