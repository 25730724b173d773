import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type Answer, expectStatus } from '../../dev/http-client.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import { TASK_QUEUE } from '../../src/temporal/gateway.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { type Agent, claim, fiatSent, newOrder, type TestLp } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { retryAfterMs } from '../support/retry-while-503.ts';
import type { Member } from './fleet.ts';
import type { Installation } from './installation.ts';

/** How an order went on after its worker was killed. */
export interface Recovery {
  /** From the call to its 200, with everything that came between, in milliseconds. */
  ms: number;
  /** How often it was answered 503 before. */
  putOff: number;
  /** The dead worker's task, which ran out: it was never handed out, or it was and did not come back. */
  taskLost: 'waiting' | 'handed out' | 'none';
  /** From SIGKILL until the process had gone, in milliseconds, where that was waited for. */
  goneAfterMs?: number;
}

/** Kills workers under orders that they carry, and sees how long the orders take to go on at another. */
export interface WorkerDeaths {
  /**
   * Its worker is killed while the order waits; the step that is called then is carried out by another. Called at
   * once, it may still be handed to the dead one: a process takes a moment to go, with its connections.
   */
  nextStep: (worker: Member, when: 'at once' | 'when it has gone', next: CrashPoint) => Promise<Recovery>;
  /** Its worker, armed with a crash point by then, dies over the step. */
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
      if (when === 'at once') return timed(id, 'fiat_sent', () => fiatSent(lp, id));
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
      if (deathsOf(worker) !== crashes + 1) throw new Error(`${worker.name} did not die over the step`);
      return recovery;
    },
    close: () => connection.close(),
  };

  /** A new order that waits to be claimed, and which this worker keeps in its cache. Both workers are at work. */
  async function orderOf(worker: Member): Promise<number> {
    for (const member of members)
      if (member.part === 'worker') await eventually(() => polls(member), LONG_MS);
    return eventually(async () => {
      const id = await newOrder(agent);
      const carrier = await eventually(() => workerOf(id));
      return carrier === identity(worker) && id;
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

  /** Who has completed the order's last workflow task: the next one goes there. Undefined while one is under way. */
  async function workerOf(orderId: number): Promise<string | undefined> {
    const tasks = (await eventsOf(orderId)).filter(
      (event) => event.workflowTaskScheduledEventAttributes || event.workflowTaskCompletedEventAttributes,
    );
    return tasks.at(-1)?.workflowTaskCompletedEventAttributes?.identity ?? undefined;
  }

  /** Repeats the call after a 503, when its answer says. The row must agree with the answer. */
  async function timed(orderId: number, status: string, call: () => Promise<Answer>): Promise<Recovery> {
    const started = performance.now();
    let putOff = 0;
    let answer = await call();
    for (; answer.status === 503; putOff++) {
      await delay(retryAfterMs(answer));
      answer = await call();
    }
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`order ${orderId}: answered ${answer.status}`);
    const [row] = await query<{ status: string }>('select status from orders where id = $1', [orderId]);
    if (row?.status !== status) throw new Error(`order ${orderId} is ${row?.status}, not ${status}`);
    return { ms, putOff, taskLost: await lostTaskOf(orderId) };
  }
}

const deathsOf = ({ crashes }: Member): number => [...crashes.values()].reduce((sum, n) => sum + n, 0);
