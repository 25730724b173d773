import type { Context } from './context.ts';
import { type Answer, type Call, expectStatus } from './http-client.ts';
import { repeatUnmoved } from './repeat-unmoved.ts';

/**
 * Makes a call that must get an answer with `status`, prints both, and returns the body. `request`: `POST /path`. Repeats a step
 * of an order that no worker carries out in time.
 */
export async function callAndPrint(
  context: Context,
  call: Call,
  request: string,
  body: object,
  status = 200,
): Promise<Answer['body']> {
  const answer = await callAndPrintRequest(context, call, request, body, status);
  context.print(`  ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Does the same without printing the answer, which the caller prints in a shorter form. */
export async function callAndPrintRequest(
  { print }: Context,
  call: Call,
  request: string,
  body: object,
  status = 200,
): Promise<Answer['body']> {
  const [method = '', path = ''] = request.split(' ');
  print(Object.keys(body).length > 0 ? `${request} ${JSON.stringify(body)}` : request);
  return expectStatus(
    status,
    repeatUnmoved(() => call(method, path, body)),
  );
}
