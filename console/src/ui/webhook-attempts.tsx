import './webhook-attempts.css';
import type {
  DeliveryView,
  ListedDeliveryView,
} from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { callApi } from '../session.ts';
import { Action } from './action.tsx';
import { Time } from './time.tsx';

type AttemptShown = DeliveryView['attempts'][number] | ListedDeliveryView['attempts'][number];

/** The attempts at a webhook. An agent also sees what its server answered, as text: the receiver has written it. */
export const Attempts = ({ attempts }: { attempts: readonly AttemptShown[] }) =>
  attempts.length === 0 ? (
    'none yet'
  ) : (
    <details>
      <summary>
        {attempts.length}, the last: {describeResponse(attempts.at(-1))}
      </summary>
      <ol class="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.attempt} value={attempt.attempt}>
            {describeResponse(attempt)} after {attempt.duration_ms} ms, <Time at={attempt.at} />
            {'answer' in attempt && attempt.answer && <pre>{attempt.answer}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );

const describeResponse = (attempt: AttemptShown | undefined): string =>
  attempt ? [attempt.status_code, attempt.error].filter((part) => part !== null).join(' ') : '';

/** A button that sends a finished webhook again. `route`: the list of webhooks that it is in. */
export const SendAgain = ({
  route,
  webhook: { id, state },
  reload,
}: {
  route: string;
  webhook: Pick<DeliveryView, 'id' | 'state'>;
  reload: () => Promise<void>;
}) =>
  state === 'pending' ? null : (
    <Action
      label={`Send again: msg_${id}`}
      successText={`msg_${id} is sent again.`}
      run={async () => {
        await callApi('POST', `${route}/${id}/redeliver`, { body: {} });
        await reload();
      }}
    >
      Send again
    </Action>
  );
