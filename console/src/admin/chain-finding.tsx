import type { z } from 'zod';
import type { resolveResponse } from '../../../src/api/resources/admin-orders/schemas.ts';

type Finding = z.output<typeof resolveResponse>['chain_finding'];

/** What the chain says about the transaction that an admin names as the payment of an order. Null: none is named. */
export const ChainFinding = ({ finding }: { finding: Finding }) =>
  finding && (
    <p class={finding.result === 'verified' ? 'state sound finding' : 'notice finding'}>
      <strong>
        {finding.result === 'verified' ? 'The chain confirms it' : 'The chain does not confirm it'}:
      </strong>{' '}
      {finding.detail}.
    </p>
  );
