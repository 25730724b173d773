/**
 * Points at which tests kill a process, to prove that a crash there does no harm. They surround the commits of an
 * order, its webhooks, collateral and secrets, and an order's calls to the outside. An unarmed point costs the check of
 * one variable.
 */
export const CRASH_POINTS = [
  /** The order is in the database; it has no workflow. */
  'pay.committed',
  /** The order's workflow has started; the agent has no answer. */
  'pay.started',
  /** The workflow has the signal; after the crash, no handler waits for the outcome. */
  'command.signalled',
  /** The outcome is known; the caller has no answer. */
  'command.recorded',
  /** The database is about to carry out a step. */
  'step.begun',
  /** The step is committed; Temporal does not know. */
  'step.committed',
  /** The refusal is recorded; Temporal does not know. */
  'answer.committed',
  /** The receiver has the webhook; the database does not record it. */
  'webhook.sent',
  /** The delivery is recorded; Temporal does not know. */
  'webhook.recorded',
  /** The verifier is about to query the chain. */
  'verification.begun',
  /** The verifier has the chain's answer; the database does not record it. */
  'verification.seen',
  /** The verdict is recorded and its transaction reserved; Temporal does not know. */
  'verification.recorded',
  /** The reconciler has found missing workflows, and started none. */
  'reconciler.begun',
  /** The reconciler has started a workflow, and not recorded that. */
  'reconciler.started',
  /** A webhook is pending again; its workflow does not know. */
  'redelivery.reopened',
  /** The events for LPs' webhooks are read; the webhooks are not written. */
  'lpwebhooks.read',
  /** LPs' webhooks are written, and none is sent. */
  'lpwebhooks.queued',
  /** A withdrawal is reserved; the LP has no answer. */
  'withdrawal.committed',
  /** The withdrawal is decided; the admin has no answer. */
  'withdrawal.decided',
  /** A deposit is announced; the LP does not know its id. */
  'deposit.announced',
  /** The deposit is credited; the LP has no answer. */
  'deposit.committed',
  /** An LP is registered; nobody has its key. */
  'registration.committed',
  /** An agent key is issued; nobody has its secret. */
  'issue.committed',
  /** An agent key has a new secret; nobody has it. */
  'rotation.committed',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/**
 * When the process kills itself at a point: each time with a probability, or the nth time that it reaches the point.
 */
export type CrashPlan = ReadonlyMap<CrashPoint, { probability: number } | { nth: number }>;

let armed: Map<CrashPoint, { probability: number } | { nth: number }> | undefined;

/**
 * Reads `pay.committed:0.2,step.committed:3`. A number with a decimal point is a probability; a whole number n means the
 * nth time. Throws a RangeError that names the part that it cannot read.
 */
export function readCrashPlan(text: string): CrashPlan {
  return new Map(
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => {
        const [, name, number] = /^([a-z.]+):(0\.\d+|[1-9]\d*)$/.exec(part) ?? [];
        const point = CRASH_POINTS.find((known) => known === name);
        if (!point || !number) throw new RangeError(`"${part}" is not a crash point with a number`);
        return [point, number.includes('.') ? { probability: Number(number) } : { nth: Number(number) }];
      }),
  );
}

/** From now on, this process kills itself according to the plan. */
export function armCrashPoints(plan: CrashPlan): void {
  armed = plan.size > 0 ? new Map(plan) : undefined;
}

/** Kills this process immediately if the plan says so, without flushing, answering or closing anything. */
export function crashPoint(point: CrashPoint): void {
  if (armed) crashIfDue(armed, point);
}

function crashIfDue(plans: NonNullable<typeof armed>, point: CrashPoint): void {
  const plan = plans.get(point);
  if (!plan) return;
  if ('probability' in plan) {
    if (Math.random() >= plan.probability) return;
  } else {
    plans.set(point, { nth: plan.nth - 1 });
    if (plan.nth !== 1) return;
  }
  process.stderr.write(`corridor: crash point ${point}\n`);
  process.kill(process.pid, 'SIGKILL');
}
