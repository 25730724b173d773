import type { z } from 'zod';
import type { resolveResponse } from '../../../src/api/resources/admin-orders/schemas.ts';
import type { ListedAdmin } from '../../../src/api/resources/admins/schemas.ts';
import type { ListedWithdrawal } from '../../../src/api/resources/withdrawals/schemas.ts';
import type { ListedApproval } from '../../../src/api/schemas/approvals.ts';
import { formatCount, formatMoney } from '../format.ts';
import { Address } from '../ui/copyable.tsx';
import { type Fact, Facts } from '../ui/facts.tsx';
import { Time } from '../ui/time.tsx';
import { ChainFinding } from './chain-finding.tsx';
import { Named } from './named.tsx';
import { Postings } from './postings.tsx';
import { fieldWords, valueText } from './proposal-words.ts';

/** What the dry runs of the routes show. Each route has its own. */
interface Preview extends Partial<Pick<z.output<typeof resolveResponse>, 'postings' | 'chain_finding'>> {
  withdrawal?: ListedWithdrawal;
  /** As it was when somebody proposed to change it. */
  admin?: Pick<ListedAdmin, 'id' | 'name' | 'role' | 'is_active' | 'expires_at' | 'allowed_ips'>;
  /** Orders of a user: those that the request masks, and those under way. */
  ended?: number;
  live?: number;
}

const Access = ({ is_active, expires_at, allowed_ips }: NonNullable<Preview['admin']>) => (
  <>
    {is_active ? (allowed_ips?.join(', ') ?? 'from all addresses') : 'deactivated'},{' '}
    {expires_at === null ? (
      'without an end'
    ) : (
      <>
        until <Time at={expires_at} />
      </>
    )}
  </>
);

/** What a proposal asks for, as its proposer sent it, and what its dry run showed. */
export const ProposalDetails = ({ proposal: { body, preview } }: { proposal: ListedApproval }) => {
  const sent = Object.entries((body ?? {}) as Record<string, unknown>);
  return (
    <>
      {preview && <DryRun preview={preview} />}
      {sent.length > 0 && (
        <Facts
          label="The request"
          facts={sent.map(([name, value]) => [fieldWords(name), valueText(name, value)])}
        />
      )}
    </>
  );
};

function DryRun({ preview }: { preview: Record<string, unknown> }) {
  const { postings, chain_finding, withdrawal, admin, ended, live } = preview as Preview;
  const facts: Fact[] = [];
  if (withdrawal) {
    const { lp_id, amount, asset, chain, address } = withdrawal;
    facts.push(['Amount', formatMoney(amount, asset)], ['LP', <Named kind="lp" id={lp_id} />]);
    facts.push(['To', <Address chain={chain} address={address} />]);
  }
  if (admin) {
    facts.push(['Admin', `${admin.name}, ${admin.role} when it was proposed`]);
    facts.push(['Access then', <Access {...admin} />]);
  }
  if (ended !== undefined) facts.push(['Ended orders that lose the data', formatCount(ended)]);
  if (live !== undefined) facts.push(['Orders under way, which keep it', formatCount(live)]);
  return (
    <>
      {facts.length > 0 && <Facts label="Dry run" facts={facts} />}
      {postings && <Postings caption="Dry run" postings={postings} />}
      {chain_finding && <ChainFinding finding={chain_finding} />}
    </>
  );
}
