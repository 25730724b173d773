import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type Answer, expectStatus } from '../../dev/http-client.ts';
import { retryAfterMs } from '../../dev/repeat-unmoved.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import { TASK_QUEUE } from '../../src/temporal/start-options.ts';
import type { Agent, TestLp } from '../../test/support/actors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { claim, fiatSent, newOrder } from '../../test/support/repeated-steps.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import type { Member } from './fleet.ts';
import type { Installation } from './installation.ts';

/** How an order continued after its worker was killed. */
export interface Recovery {
  /** Milliseconds from the first call to the 200, including retries. */
  ms: number;
  /** The number of 503 responses before the 200. */
  retries: number;
  /** The dead worker's task that timed out: Temporal had not handed it out, or the worker did not complete it. */
  taskLost: 'waiting' | 'handed out' | 'none';
  /** Milliseconds from SIGKILL to the end of the process, if the test waited for it. */
  goneAfterMs?: number;
}

/** Kills workers that keep orders in their cache, and measures when the orders continue on another worker. */
export interface WorkerDeaths {
  /**
   * Kills the order's worker while the order waits, and then calls a step, which another worker carries out. With
   * `immediately`, Temporal may still hand the task to the dead worker: its process takes a moment to end.
   */
  nextStep: (worker: Member, when: 'immediately' | 'after its end', next: CrashPoint) => Promise<Recovery>;
  /** The order's worker crashes at its crash point during the step. */
  stepInFlight: (worker: Member) => Promise<Recovery>;
  close: () => Promise<void>;
}

const LONG_MS = 120_000;

export async function createWorkerDeaths(
  { temporal, namespace, members, query }: Installation,
  agent: Agent,
  lp: TestLp,
): Promise<WorkerDeaths> {
  const connection = await Connection.connect({ address: temporal.url().host });
  const client = new Client({ connection, namespace });
  const identity = (member: Member) => `${member.pid()}@${hostname()}`;

  return {
    nextStep: async (worker, when, next) => {
      const id = await orderOf(worker);
      await expectStatus(200, claim(lp, id));
      await eventually(async () => (await workerOf(id)) === identity(worker));
      worker.arm(`${next}:1`);
      const gone = worker.gone();
      const killed = performance.now();
      worker.signal('SIGKILL');
      if (when === 'immediately') return timed(id, 'fiat_sent', () => fiatSent(lp, id));
      await gone;
      const goneAfterMs = performance.now() - killed;
      return { goneAfterMs, ...(await timed(id, 'fiat_sent', () => fiatSent(lp, id))) };
    },
    stepInFlight: async (worker) => {
      const id = await orderOf(worker);
      worker.arm('');
      const dead = worker.pid();
      const crashes = deathsOf(worker);
      const recovery = await timed(id, 'claimed', () => claim(lp, id));
      await eventually(async () => worker.pid() !== dead);
      if (deathsOf(worker) !== crashes + 1) throw new Error(`${worker.name} did not crash during the step`);
      return recovery;
    },
    close: () => connection.close(),
  };

  /** Creates an order that this worker keeps in its cache. Waits until both workers poll for tasks. */
  async function orderOf(worker: Member): Promise<number> {
    for (const member of members)
      if (member.part === 'worker') await eventually(() => polls(member), LONG_MS);
    return eventually(async () => {
      const id = await newOrder(agent);
      const owner = await eventually(() => workerOf(id));
      return owner === identity(worker) && id;
    }, LONG_MS);
  }

  async function polls(member: Member): Promise<boolean> {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: TASK_QUEUE },
      taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    });
    return (pollers ?? []).some((poller) => poller.identity === identity(member));
  }

  async function lostTaskOf(orderId: number): Promise<Recovery['taskLost']> {
    const timeouts = (await eventsOf(orderId)).flatMap(
      ({ workflowTaskTimedOutEventAttributes: timedOut }) => timedOut ?? [],
    );
    const last = timeouts.at(-1);
    if (!last) return 'none';
    const { TIMEOUT_TYPE_SCHEDULE_TO_START } = proto.temporal.api.enums.v1.TimeoutType;
    return last.timeoutType === TIMEOUT_TYPE_SCHEDULE_TO_START ? 'waiting' : 'handed out';
  }

  async function eventsOf(orderId: number) {
    return (await client.workflow.getHandle(orderWorkflowId(orderId)).fetchHistory()).events ?? [];
  }

  /** The worker that completed the order's last workflow task and gets the next one. Undefined while a task runs. */
  async function workerOf(orderId: number): Promise<string | undefined> {
    const tasks = (await eventsOf(orderId)).filter(
      (event) => event.workflowTaskScheduledEventAttributes || event.workflowTaskCompletedEventAttributes,
    );
    return tasks.at(-1)?.workflowTaskCompletedEventAttributes?.identity ?? undefined;
  }

  /** Calls, and repeats the call after a 503 as its Retry-After requires. The row must then have this status. */
  async function timed(orderId: number, status: string, call: () => Promise<Answer>): Promise<Recovery> {
    const started = performance.now();
    let retries = 0;
    let answer = await call();
    for (; answer.status === 503; retries++) {
      await delay(retryAfterMs(answer));
      answer = await call();
    }
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`order ${orderId}: the response is ${answer.status}`);
    const [row] = await query<{ status: string }>('select status from orders where id = $1', [orderId]);
    if (row?.status !== status) throw new Error(`order ${orderId} is ${row?.status}, not ${status}`);
    return { ms, retries, taskLost: await lostTaskOf(orderId) };
  }
}

const deathsOf = ({ crashes }: Member): number => [...crashes.values()].reduce((sum, n) => sum + n, 0);
