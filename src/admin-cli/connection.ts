import { loadConfig } from '../config.ts';
import { loadSecrets } from '../secrets.ts';

/** A reason to end with one line and exit code 1. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

export interface ConnectionOptions {
  /** Instead of the address in the settings. */
  url?: string;
  /** Instead of the key in the settings or the development secrets. */
  key?: string;
}

/** A call with the admin key; gives the body of the answer, or throws a CliError that says why there is none. */
export type AdminCall = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

const ANSWER_WITHIN_MS = 15_000;

/** The running Corridor that the options and the settings point to. */
export async function connect(options: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<AdminCall> {
  const url = httpAddress(options.url ?? loadConfig(env).publicUrl);
  const key = headerValue(options.key ?? (await configuredKey(env)));
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((cause) => {
      const start = 'Start one with "npm start", or say where it is with --url.';
      throw new CliError(`No Corridor answers at ${url}. ${start}`, { cause });
    });
    const answer = await jsonOf(response, url);
    if (response.ok) return answer;
    throw new CliError(refusal(response.status, answer, `${method} ${path}`, url));
  };
}

async function configuredKey(env: NodeJS.ProcessEnv): Promise<string> {
  const config = loadConfig(env);
  return config.adminApiKey ?? (await loadSecrets(config)).adminApiKey;
}

function httpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new CliError(`"${text}" is not an address: write it as http://127.0.0.1:8080`);
  }
  return text.replace(/\/+$/, '');
}

/** Told here, because the error of `fetch` would show the key. */
function headerValue(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CliError('The admin key has characters that no key has.');
  return key;
}

// biome-ignore lint/suspicious/noExplicitAny: what it holds is the contract's, and each caller names it
async function jsonOf(response: Response, url: string): Promise<any> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = `${response.status} and no JSON`;
    throw new CliError(`What answers at ${url} is no Corridor: it says ${what}.`, { cause });
  }
}

interface Refusal {
  error?: string | { fieldErrors?: Record<string, string[]>; formErrors?: string[] };
}

function refusal(status: number, { error }: Refusal, call: string, url: string): string {
  if (status === 403)
    return `The Corridor at ${url} has another admin key: set ADMIN_API_KEY, or give --key.`;
  return `${typeof error === 'string' ? error : faultsOf(error)} (${status} to ${call})`;
}

function faultsOf(error: Exclude<Refusal['error'], string>): string {
  const fields = Object.entries(error?.fieldErrors ?? {}).map(
    ([name, texts]) => `${name} ${texts.join(', ')}`,
  );
  return [...fields, ...(error?.formErrors ?? [])].join('; ') || 'Refused';
}
