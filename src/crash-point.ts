/**
 * Places at which a process can be made to die, to prove that dying there does no harm: around what is committed of an
 * order, its webhooks, collateral and secrets, and around the calls to the outside that an order makes. Off, one costs a
 * look at a variable.
 */
export const CRASH_POINTS = [
  /** The order is in the database; no workflow knows of it. */
  'pay.committed',
  /** Its workflow has been started; the agent has not been answered. */
  'pay.started',
  /** The workflow has the signal; nobody waits for its outcome any more. */
  'command.signalled',
  /** The outcome is known; the caller has not been answered. */
  'command.recorded',
  /** A step is about to be carried out. */
  'step.begun',
  /** It has been committed; Temporal does not know. */
  'step.committed',
  /** A refusal has been recorded; Temporal does not know. */
  'answer.committed',
  /** The receiver has a webhook; that it has is not recorded. */
  'webhook.sent',
  /** It is recorded; Temporal does not know. */
  'webhook.recorded',
  /** The chain is about to be looked at. */
  'verification.begun',
  /** It has been looked at; Temporal does not know what was seen. */
  'verification.seen',
  /** The reconciler has found what is missing, and started none of it. */
  'reconciler.begun',
  /** It has started a workflow; it has not noted that. */
  'reconciler.started',
  /** A webhook is owed again; its workflow has not been told. */
  'redelivery.reopened',
  /** A withdrawal is reserved; the LP has not been answered. */
  'withdrawal.committed',
  /** It is decided; the admin has not been answered. */
  'withdrawal.decided',
  /** A deposit is announced; the LP does not know its id. */
  'deposit.announced',
  /** It is credited; the LP has not been answered. */
  'deposit.committed',
  /** An LP is registered; nobody has its key. */
  'registration.committed',
  /** An agent key is issued; nobody has its secret. */
  'issue.committed',
  /** An agent key has another secret; nobody has it. */
  'rotation.committed',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** When to die at a point: each time with this probability, or the nth time that it is come to. */
export type CrashPlan = ReadonlyMap<CrashPoint, { probability: number } | { nth: number }>;

let armed: Map<CrashPoint, { probability: number } | { nth: number }> | undefined;

/**
 * Reads `pay.committed:0.2,step.committed:3`: a number with a decimal point is a probability, a whole one says the how
 * manieth time. Throws a RangeError that names what it does not understand.
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
        if (!point || !number) throw new RangeError(`"${part}" is no crash point with a number`);
        return [point, number.includes('.') ? { probability: Number(number) } : { nth: Number(number) }];
      }),
  );
}

/** From now on this process dies as planned. */
export function armCrashPoints(plan: CrashPlan): void {
  armed = plan.size > 0 ? new Map(plan) : undefined;
}

/** Kills this process here and now, with nothing flushed, answered or closed, if that is what was planned. */
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
