import { useResource } from '../resource.ts';
import { callApi, lpPath } from '../session.ts';
import { ResourceView } from '../ui/states.tsx';
import { Assets } from './assets.tsx';
import { AutoClaim } from './auto-claim.tsx';
import { CorridorTerms } from './corridor-terms.tsx';
import { PublishTerms } from './publish-terms.tsx';
import type { OwnTerms } from './shapes.ts';
import { openTermsDesk } from './terms-desk.ts';
import { Webhooks } from './webhooks.tsx';
import { type DeskProps, withDesk } from './with-desk.tsx';

const REFRESH_MS = 10_000;

/** The LP's terms in each corridor, its receive addresses, its automatic claims and its webhooks. */
export const Terms = withDesk(({ desk, dashboard }: DeskProps) => {
  // The dashboard has only the newest terms.
  const terms = useResource(
    (signal) => callApi<OwnTerms>('GET', lpPath('/terms'), { signal }),
    [JSON.stringify(dashboard.rates)],
    REFRESH_MS,
  );
  const termsDesk = openTermsDesk(desk, terms);
  return (
    <>
      <ResourceView resource={terms} what="your terms">
        {(read) => <CorridorTerms desk={termsDesk} terms={read.terms} />}
      </ResourceView>
      <PublishTerms desk={termsDesk} terms={terms.data.value?.terms ?? []} />
      <div class="columns">
        <Assets desk={desk} assets={dashboard.assets} />
        <AutoClaim desk={desk} config={dashboard.lp.auto_claim} />
        <Webhooks desk={desk} webhook={dashboard.lp.webhook} />
      </div>
    </>
  );
});
