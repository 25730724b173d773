/**
 * SQL: deletes the webhooks that wait for these LPs, which no longer receive any. Warnings that go to a URL of their own stay.
 * Webhooks that nobody will send would keep their orders from being masked.
 */
export const dropWaiting = (lpIds: string): string => `dropped as (
    delete from webhook_delivery where lp_id in (${lpIds}) and state = 'pending' and url is null
    returning id
  ), attempts as (
    delete from webhook_attempt using dropped where delivery_id = dropped.id
  )`;
