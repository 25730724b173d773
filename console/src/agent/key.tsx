import type { OwnKey } from '../../../src/api/resources/own-key/schemas.ts';
import { AGENT_SCOPES } from '../../../src/domain/agent-scopes.ts';
import { formatCount, formatUsd } from '../format.ts';
import { useList } from '../list-resource.ts';
import { Facts } from '../ui/facts.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';

/** What the agent's key may do, its limits, and how much of them is left. */
export function Key() {
  const key = useList<OwnKey>('/api/v1/key', {});
  return (
    <ResourceView resource={key} what="your key">
      {(own) => (
        <>
          <KeyFacts own={own} />
          <Exposure exposure={own.exposure} />
          <p>An admin of this installation can change these values, and give the key a new secret.</p>
        </>
      )}
    </ResourceView>
  );
}

const KeyFacts = ({ own }: { own: OwnKey }) => (
  <Facts
    sheet
    label="Your key"
    facts={[
      ['Key', `${own.id}`],
      ['Name', own.name],
      ['Integrator', own.integrator_name],
      ['May', <Scopes scopes={own.scopes} />],
      ['Expires', own.expires_at === null ? 'never' : <Time at={own.expires_at} />],
      ['Accepted from', own.allowed_ips === null ? 'every address' : own.allowed_ips.join(', ')],
      [
        'Requests per minute',
        own.requests_per_minute === null ? 'no limit' : formatCount(own.requests_per_minute),
      ],
      ['Last used', <LastUse own={own} />],
      ['Created', <Time at={own.created_at} />],
    ]}
  />
);

const Scopes = ({ scopes }: Pick<OwnKey, 'scopes'>) =>
  scopes === null ? (
    'everything that agents may'
  ) : (
    <ul>
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code>: {AGENT_SCOPES[scope]}
        </li>
      ))}
    </ul>
  );

const LastUse = ({ own: { last_used_at: at, last_used_address: address } }: { own: OwnKey }) =>
  at === null ? (
    'never before'
  ) : (
    <>
      <Time at={at} />
      {address && ` from ${address}`}
    </>
  );

const Exposure = ({ exposure: { limit_usd, used_usd, left_usd } }: Pick<OwnKey, 'exposure'>) => (
  <section aria-label="Unsettled USD">
    <h2>Unsettled USD</h2>
    <p>The value of your orders from the payment until they are completed or cancelled.</p>
    <Facts
      sheet
      figures
      facts={[
        ['Limit', limit_usd === null ? 'no limit' : formatUsd(limit_usd)],
        ['Used', formatUsd(used_usd)],
        ['Left for new payments', left_usd === null ? null : formatUsd(left_usd)],
      ]}
    />
    {left_usd === 0 && (
      <p class="notice">
        Nothing is left, so Corridor refuses new payments. Settle or cancel other orders first.
      </p>
    )}
  </section>
);
