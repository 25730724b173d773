import type { Answer, Call } from '../../../dev/http-client.ts';
import type { Document } from '../openapi-changes.ts';
import type { Disguise } from './disguise.ts';
import { exampleFrom } from './excerpts.ts';

/** The first 2xx response of each route and status, such as `POST /api/v1/pay 201`. */
export type Examples = Record<string, unknown>;

/** Records the JSON and text responses of a run against the routes of its OpenAPI document. */
export class Recorder {
  readonly #examples: Examples = {};
  readonly #routes: { path: string; pattern: RegExp }[];
  readonly #disguise: Disguise;

  constructor(document: Document, disguise: Disguise) {
    this.#disguise = disguise;
    this.#routes = Object.keys(document.paths)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }))
      // The service also prefers fixed paths to paths with parameters.
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** The same calls, recorded. A response other than 2xx is an error. */
  recording(call: Call): Call {
    return async (method, path, body, headers) => {
      this.#disguise.startStep();
      const answer = await call(method, path, body, headers);
      if (answer.status >= 300)
        throw new Error(`${method} ${path} returned ${answer.status}: ${JSON.stringify(answer.body)}`);
      this.#record(method, path, answer);
      return answer;
    };
  }

  /** The examples in the order of the keys, so that a new one changes one line of the file. */
  examples(): Examples {
    return Object.fromEntries(Object.entries(this.#examples).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #record(method: string, path: string, answer: Answer): void {
    const route = this.#routes.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
    if (!route) throw new Error(`${method} ${path} is not in the OpenAPI document`);
    const key = `${method} ${route.path} ${answer.status}`;
    const example = exampleFrom(key, answer);
    if (example === undefined) return;
    // A later response may refer to the keys and times of this one, so all responses pass through the disguise.
    const disguised = this.#disguise.apply(example);
    this.#examples[key] ??= disguised;
  }
}
