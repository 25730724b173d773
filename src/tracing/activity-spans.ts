import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Traced } from '../domain/traced.ts';
import { ORDER_ID, type Tracing } from './tracing.ts';

/** What may stand in an activity's input. */
interface Input extends Traced {
  orderId?: number;
  answers?: Traced[];
}

/** A trace is of a request, and not of the days that something is tried again after it. */
const LAST_ATTEMPT_IN_TRACE = 5;

/**
 * A span for each attempt of an activity, in the trace of the request whose signal asked for it. What an order does by
 * itself, as when a deadline passes, begins a trace; so do late attempts, linked to what they are for.
 */
export const activitySpans =
  (tracing: Tracing): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const { orderId, trace, origin, answers = [] } = (input.args[0] ?? {}) as Input;
        const belongs = trace !== undefined && info.attempt <= LAST_ATTEMPT_IN_TRACE;
        // Answers that are recorded together belong to the requests of all that get one.
        const others = answers.flatMap((answer) =>
          answer.trace && answer.trace !== trace ? [answer.trace] : [],
        );
        const plan = {
          name: `RunActivity:${info.activityType}`,
          parent: belongs ? trace : null,
          links: [...(belongs || !trace ? [] : [trace]), ...(origin && !belongs ? [origin] : []), ...others],
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
