import { z } from 'zod';
import { setting } from './setting.ts';
import { rateLimit } from './values.ts';

/** Numbers per 60 s, except where it says otherwise; 0: no limit. */
export const limits = z.object({
  /** `POST /api/v1/pay` per agent key and client address. */
  pay: setting('PAY_RATE_LIMIT', rateLimit(30)),
  /** All routes together, per agent key without a limit of its own. An agent with 100 live orders may poll each of them every second. */
  agent: setting('AGENT_RATE_LIMIT', rateLimit(6_000)),
  /** Commands of an agent or LP that an API process carries out at the same time. The others wait. */
  commandConcurrency: setting('COMMAND_CONCURRENCY', rateLimit(2)),
  /** Reads with one key that an API process serves at the same time. The others wait. */
  readConcurrency: setting('READ_CONCURRENCY', rateLimit(4)),
  /** `POST /api/lp/register` per client address. */
  register: setting('REGISTER_RATE_LIMIT', rateLimit(10)),
  /** Requests without a key per client address and API process: public reads, documents and pages. */
  public: setting('PUBLIC_RATE_LIMIT', rateLimit(600)),
  /** Rows that callers without a key create per client address and hour: registrations, transactions of the sandbox. */
  strangerRows: setting('STRANGER_ROW_LIMIT', rateLimit(3_000)),
  /** Sign-ins to the console per client address. */
  signIn: setting('SIGN_IN_RATE_LIMIT', rateLimit(30)),
  /** Receipt uploads per LP. */
  upload: setting('UPLOAD_RATE_LIMIT', rateLimit(30)),
  /** `POST /api/v1/rates` per agent key. */
  rates: setting('RATES_RATE_LIMIT', rateLimit(120)),
  /** `POST /api/v1/recipients/verify` per agent key. */
  recipientChecks: setting('RECIPIENT_CHECK_RATE_LIMIT', rateLimit(30)),
  /** Redeliveries of webhooks per agent key. */
  redeliver: setting('REDELIVER_RATE_LIMIT', rateLimit(30)),
  /** Auto-claim configurations per LP. */
  autoClaim: setting('AUTO_CLAIM_RATE_LIMIT', rateLimit(30)),
  /** Terms and rates that an LP publishes. */
  terms: setting('TERMS_RATE_LIMIT', rateLimit(300)),
  /** Reads of all terms of an LP, each of which compares them with the market. */
  termsRead: setting('TERMS_READ_RATE_LIMIT', rateLimit(120)),
  /** Reads of an LP's dashboard. */
  dashboard: setting('DASHBOARD_RATE_LIMIT', rateLimit(600)),
  /** Announcements of deposits per LP. */
  announceDeposit: setting('ANNOUNCE_DEPOSIT_RATE_LIMIT', rateLimit(30)),
  /** Confirmations of deposits per LP. */
  confirmDeposit: setting('CONFIRM_DEPOSIT_RATE_LIMIT', rateLimit(30)),
  /** Registrations of receive addresses per LP. */
  asset: setting('ASSET_RATE_LIMIT', rateLimit(30)),
  /** Changes of an LP's webhook, rotations of its key and requests for withdrawals, each of which stays in the audit. */
  account: setting('LP_ACCOUNT_RATE_LIMIT', rateLimit(30)),
  /** Look-ups at the chains' nodes per approved LP. */
  lookup: setting('LOOKUP_RATE_LIMIT', rateLimit(60)),
  /** Look-ups at the chains' nodes of all other LPs together. */
  unapprovedLookup: setting('UNAPPROVED_LOOKUP_RATE_LIMIT', rateLimit(20)),
  /** Failed authentications per client address. */
  authFailure: setting('AUTH_FAILURE_LIMIT', rateLimit(60)),
});
