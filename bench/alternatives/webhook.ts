const WITHIN_MS = 10_000;

/** Posts the order's new status to its receiver. Rejects unless the receiver accepts it in time. */
export async function sendWebhook(url: string, orderId: number, status: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: orderId, status }),
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}
