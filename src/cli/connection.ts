import { Readable } from 'node:stream';
import { wrongKind } from '../domain/key-kind.ts';
import { loadCommandConfig } from '../settings/config.ts';
import { type RunningSecret, runningSecret } from '../settings/secrets.ts';

/** An error that the CLI shows as one line, with exit code 1. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** The response to a request that another admin has to approve first. */
interface Proposal {
  approval: { id: number };
}

/** Another admin has to approve the request first. The CLI says so, with an exit code of its own: nothing has been done. */
export class Proposed extends Error {
  override readonly name = 'Proposed';
  readonly answer: Proposal;

  constructor(answer: Proposal) {
    super(
      `Proposed, and not carried out yet: another admin approves it within 24 hours with "npm run admin -- approvals approve ${answer.approval.id}".`,
    );
    this.answer = answer;
  }
}

export interface ConnectionOptions {
  /** Overrides the address in the settings. */
  url?: string;
  /** Overrides the key in the settings or in the development secrets. */
  key?: string;
}

/** Calls the API with the admin key. Resolves to the body of the answer, or rejects with a CliError that says why not. */
export type AdminCall = <Answer>(
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answer>;

const TIMEOUT_MS = 15_000;

interface Target {
  url: string;
  key: string;
  /** The option, the setting or the file that has the key. */
  source: string;
}

async function targetOf({ url, key }: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<Target> {
  const address = httpAddress(url ?? loadCommandConfig(env).publicUrl);
  const { value, source } = key === undefined ? await configuredKey(env) : { value: key, source: '--key' };
  return { url: address, key: headerValue(value), source };
}

function unreachable(url: string, cause: unknown): CliError {
  if ((cause as Error).name === 'TimeoutError')
    return new CliError(
      `No answer from ${url} within ${TIMEOUT_MS / 1_000} s. The call may have been carried out: look before you repeat it.`,
      { cause },
    );
  const start = 'Start one with "npm start", or give its address with --url.';
  return new CliError(`No Corridor answers at ${url}. ${start}`, { cause });
}

/** Connects to the Corridor that the options and the settings name. */
export async function connect(options: ConnectionOptions, env: NodeJS.ProcessEnv): Promise<AdminCall> {
  const target = await targetOf(options, env);
  const { url, key } = target;
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((cause) => {
      throw unreachable(url, cause);
    });
    const answer = await jsonOf(response, url);
    if (response.status === 202 && answer.approval) throw new Proposed(answer);
    if (response.ok) return answer;
    const code = response.headers.get('x-error-code');
    throw new CliError(refusal(response.status, code, answer, `${method} ${path}`, target));
  };
}

/** The same for files, which take as long as they take. */
export async function connectDownload(
  options: ConnectionOptions,
  env: NodeJS.ProcessEnv,
): Promise<(path: string) => Promise<Readable>> {
  const target = await targetOf(options, env);
  const { url, key } = target;
  return async (path) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(url + path, { redirect: 'manual', headers }).catch((cause) => {
      throw unreachable(url, cause);
    });
    if (response.ok && response.body) return Readable.fromWeb(response.body);
    const code = response.headers.get('x-error-code');
    throw new CliError(refusal(response.status, code, await jsonOf(response, url), `GET ${path}`, target));
  };
}

const configuredKey = (env: NodeJS.ProcessEnv): Promise<RunningSecret> =>
  runningSecret('adminApiKey', loadCommandConfig(env));

function httpAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new CliError(`"${text}" is not an address: write it as http://127.0.0.1:8080`);
  }
  return text.replace(/\/+$/, '');
}

/** Checked here, because the error of `fetch` would show the key. */
function headerValue(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CliError('The admin key contains characters that are not allowed in a key.');
  return key;
}

// biome-ignore lint/suspicious/noExplicitAny: the contract defines the body, and each caller names its type
async function jsonOf(response: Response, url: string): Promise<any> {
  const text = await response.text().catch((cause) => {
    throw unreachable(url, cause);
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(
      `The server at ${url} is not a Corridor: its answer (${response.status}) is not JSON.`,
      { cause },
    );
  }
}

interface Refusal {
  error?: string | { fieldErrors?: Record<string, string[]>; formErrors?: string[] };
}

function refusal(
  status: number,
  code: string | null,
  { error }: Refusal,
  call: string,
  { url, source, key }: Target,
): string {
  if (code === 'admin_key_invalid') return refusedKey(url, source, key);
  return `${typeof error === 'string' ? error : faultsOf(error)} (${status} to ${call})`;
}

/** Corridor does not say why it refuses a key. Only the key of `root` can come from a folder. */
function refusedKey(url: string, source: string, key: string): string {
  const wrong = wrongKind(key, 'admin');
  if (wrong) return `The key from ${source} is not usable. ${wrong}.`;
  if (key.startsWith('adm_live_'))
    return `The Corridor at ${url} refuses the admin key from ${source}. It is the key of a person: it was deactivated or replaced, has expired, or is of another Corridor. Ask an owner, who sees it in "admins list".`;
  return `The Corridor at ${url} refuses the admin key from ${source}. Set ADMIN_API_KEY, give --key, or set DATA_DIR to the folder that this Corridor was started with.`;
}

function faultsOf(error: Exclude<Refusal['error'], string>): string {
  const fields = Object.entries(error?.fieldErrors ?? {}).map(
    ([name, texts]) => `${name}: ${texts.join(', ')}`,
  );
  return [...fields, ...(error?.formErrors ?? [])].join('; ') || 'Refused';
}
