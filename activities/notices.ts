import type { NoticeActivities } from '../src/domain/order-steps.ts';
import { reportRow } from '../src/orders/steps/perform-step.ts';
import type { ActivityDeps } from './deps.ts';
import { frozenIfLost } from './frozen-if-lost.ts';

/** Accepts the notices that Corridor has signed, and no other. */
export const noticeActivities = ({
  db,
  log,
  verifyCommand,
}: Pick<ActivityDeps, 'db' | 'log' | 'verifyCommand'>): NoticeActivities => ({
  acceptNotices: async (input) => {
    const { orderId, notices } = input;
    const accepted = notices.map((notice) => verifyCommand({ ...notice, orderId }));
    const isRefresh = notices.some(({ command }, place) => accepted[place] && command.trigger === 'refresh');
    const row = isRefresh
      ? await frozenIfLost({ db, log }, input, await reportRow(db, input, 'stale'))
      : null;
    return { accepted, row };
  },
});
