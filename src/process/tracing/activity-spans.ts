import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { AnswersInput } from '../../domain/order-steps.ts';
import { ORDER_ID, type Tracing } from './tracing.ts';

/** The fields that an activity's input may have. */
type Input = Partial<Pick<AnswersInput, 'orderId' | 'trace' | 'origin' | 'requests'>>;

/** Later attempts do not belong to the request's trace: retries may continue for days. */
const LAST_ATTEMPT_IN_TRACE = 5;

/**
 * Makes a span for each attempt of an activity, in the trace of the request whose signal caused it. Work that no
 * request caused, such as a passed deadline, starts a trace. So does a late attempt, with a link to its request.
 */
export const activitySpans =
  (tracing: Tracing): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const { orderId, trace, origin, requests = [] } = (input.args[0] ?? {}) as Input;
        const isInTrace = trace !== undefined && info.attempt <= LAST_ATTEMPT_IN_TRACE;
        // Requests that are answered together all belong to the attempt.
        const others = requests.flatMap((one) => (one.trace && one.trace !== trace ? [one.trace] : []));
        const plan = {
          name: `RunActivity:${info.activityType}`,
          parent: isInTrace ? trace : null,
          links: [
            ...(isInTrace || !trace ? [] : [trace]),
            ...(origin && !isInTrace ? [origin] : []),
            ...others,
          ],
          attributes: {
            ...(orderId !== undefined && { [ORDER_ID]: orderId }),
            'temporal.activity.attempt': info.attempt,
            'temporal.activity.local': info.isLocal,
            'temporal.workflow.id': info.workflowExecution?.workflowId ?? '',
          },
        };
        return tracing.span(plan, () => next(input));
      },
    },
  });
