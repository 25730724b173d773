import { type Answer, type Call, expectStatus } from './http.ts';
import type { Scene } from './stage.ts';

/** Makes a call that must have this answer, shows both, and gives the answer's body. `request`: `POST /path`. */
export async function act(
  scene: Scene,
  call: Call,
  request: string,
  body: object,
  status = 200,
): Promise<Answer['body']> {
  const answer = await ask(scene, call, request, body, status);
  scene.show(`  ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** The same for an answer that is too long to be shown as it is. */
export async function ask(
  { show }: Scene,
  call: Call,
  request: string,
  body: object,
  status = 200,
): Promise<Answer['body']> {
  const [method = '', path = ''] = request.split(' ');
  show(Object.keys(body).length > 0 ? `${request} ${JSON.stringify(body)}` : request);
  return expectStatus(status, call(method, path, body));
}
