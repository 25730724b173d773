import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { TraceContext } from '../domain/trace-context.ts';
import { ORDER_ID, type Tracing } from './tracing.ts';

/** The fields that an activity's input may have. */
interface Input extends TraceContext {
  orderId?: number;
  answers?: TraceContext[];
}

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
        const { orderId, trace, origin, answers = [] } = (input.args[0] ?? {}) as Input;
        const isInTrace = trace !== undefined && info.attempt <= LAST_ATTEMPT_IN_TRACE;
        // Answers that are recorded together belong to all their requests.
        const others = answers.flatMap((answer) =>
          answer.trace && answer.trace !== trace ? [answer.trace] : [],
        );
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
