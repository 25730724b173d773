/** How an order's fiat is delivered when the request names no method and the currency has no corridor. */
export const DEFAULT_METHOD = 'mobile_money';

/** The method of every LP's terms in a currency without a corridor. There, `method` is any text. */
export const ANY_METHOD = '*';

/** The name of a corridor in texts for an LP. */
export const corridorName = (currency: string, method: string): string =>
  method === ANY_METHOD ? currency : `${currency} by ${method}`;

/** The delivery of an order's fiat. */
export interface Delivery {
  method: string;
  /** The method by which LPs' terms are found: `method`, or `ANY_METHOD` in a currency without a corridor. */
  corridor_method: string;
  /** The code of the mobile network or bank; null: the recipient alone identifies the account. */
  institution: string | null;
  /** The recipient as one text: what the agent sent as `recipient`, or the field that stands for the recipient. */
  recipient: string;
  /** The fields of the recipient, by name; null for a currency without a corridor. */
  recipient_details: Record<string, string> | null;
}
