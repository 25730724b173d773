import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa, { type Middleware } from 'koa';
import helmet from 'koa-helmet';

/** Pages are made of their own files and data images, and talk to their own server; nobody may frame them. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Sets the headers that all answers have. They are the same for every request, so helmet is asked for its once. */
export async function fixedHeaders(): Promise<Middleware> {
  const headers = [
    ...(await helmetHeaders()),
    // Answers hold keys, balances and recipients: nothing on their way may keep them.
    ['cache-control', 'no-store'] as const,
    // Which of them a page may read depends on whose it is.
    ['Vary', 'Origin'] as const,
  ];
  return ({ res }, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    return next();
  };
}

/** What helmet sets on an answer, in its own order and spelling. */
async function helmetHeaders(): Promise<[string, string][]> {
  const headers: [string, string][] = [];
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  const setAll = helmet({
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY, useDefaults: false },
  });
  await setAll(new Koa().createContext(request, response), async () => undefined);
  return headers;
}
