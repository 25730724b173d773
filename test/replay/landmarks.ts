import { readdirSync, readFileSync } from 'node:fs';
import type { StepReport } from '../../src/domain/order-steps.ts';

/** The parts of a history that the tests read, in the format of the Temporal CLI. */
export interface History {
  events: HistoryEvent[];
}
interface HistoryEvent {
  eventType: string;
  userMetadata?: { summary?: { data: string } };
  markerRecordedEventAttributes?: { details: { data: Payloads; result?: Payloads } };
  workflowExecutionSignaledEventAttributes?: { signalName: string };
}

interface Payloads {
  payloads: { data?: string }[];
}

/** A local activity of the workflow: its name, and its summary as the Temporal UI shows it. */
export interface Landmark {
  step: string;
  summary: string;
  /** Undefined if the activity returns none. */
  result?: string | undefined;
}

/** The end of the workflow, as a landmark's step. */
export const ENDED = 'ended';
/** Activities whose occurrence depends on the machine's speed. */
const NOT_LANDMARKS = ['deliverInline', 'findAutoClaims', 'acceptNotices'];

const folder = new URL('./histories/', import.meta.url);
export const fileOf = (name: string): URL => new URL(`${name}.json`, folder);
export const RECORDED = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
export const historyOf = (name: string): History => JSON.parse(readFileSync(fileOf(name), 'utf8'));

const inJson = (base64 = 'bnVsbA==') => JSON.parse(Buffer.from(base64, 'base64').toString());
const first = ({ payloads: [payload] }: Payloads) => inJson(payload?.data);

/** The local activities of a history in order, and its end. */
export const landmarksOf = ({ events }: History): Landmark[] =>
  events
    .flatMap((event): Landmark[] => {
      if (event.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED')
        return [{ step: ENDED, summary: ENDED }];
      const details = event.markerRecordedEventAttributes?.details;
      if (!details) return [];
      const summary: string = inJson(event.userMetadata?.summary?.data) ?? '';
      const report: Partial<StepReport> | null = details.result ? first(details.result) : null;
      const landmark = { step: first(details.data).activity_type, summary, result: report?.result };
      return [landmark, ...followUpOf(report)];
    })
    .filter(({ step }) => !NOT_LANDMARKS.includes(step));

/** A step's activity may take the next step as well: the workflow's own, when the chain has verified the payment. */
function followUpOf(report: Partial<StepReport> | null): Landmark[] {
  if (!report?.followUp) return [];
  const { step, state, result } = report.followUp;
  return [{ step, summary: `${report.state?.status} → ${state.status}, asked by service`, result }];
}

export const signalsOf = ({ events }: History): string[] =>
  events.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
