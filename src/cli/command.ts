import { type Command, Option } from 'commander';
import { type Cli, idArgument, numberArgument, pathWith } from './cli.ts';

/** What an argument or option means; or that, with its values, its default, or how it is read. */
type Term = string | { does: string; default?: string; choices?: readonly string[]; parse?: Parse };
type Parse = (text: string) => unknown;

/** The arguments and options of a call, by their names in camel case. */
// biome-ignore lint/suspicious/noExplicitAny: each command names the type of what it takes
type Input = any;

/** One command. The API's answer is printed as JSON with `--json`, else as text for people. */
interface Spec<Answer> {
  /** A request such as `POST /api/admin/lps/:id/tier`, or a function that does more than one request. */
  call: string | ((cli: Cli, input: Input) => Promise<Answer>);
  /** What each argument means. Default: what `GROUPS` says. */
  args?: Record<string, Term>;
  /** The options by their flags. A flag that ends in ! is required. */
  options?: Record<string, Term>;
  /** The request's fields. Default: all arguments and options that are not in the path, by their names (`fieldsOf`). */
  fields?: (input: Input) => object;
  print?: (answer: Answer, input: Input) => string;
  /** Whether what was found has to be noticed by scripts: exit code 1. */
  fails?: (answer: Answer) => boolean;
}

/** A command, ready to be added to the program. */
export type Declared = (program: Command, cli: Cli) => void;

/** `name`: the words with the arguments, such as `lps tier <id> <tier>`. */
export const command =
  <Answer>(name: string, description: string, spec: Spec<Answer>): Declared =>
  (program, cli) => {
    const words = name.split(' ');
    const args = words.filter((word) => word.startsWith('<'));
    const path = words.slice(0, words.length - args.length);
    const made = parentOf(program, path)
      .command(path.at(-1) as string)
      .description(description);
    for (const arg of args) {
      const term = spec.args?.[arg] ?? GROUPS[String(path[0])]?.[1] ?? '';
      made.argument(arg, doesOf(term), parserOf(arg, term) ?? String);
    }
    // The API reads the texts of a query.
    const isQuery = typeof spec.call === 'string' && spec.call.startsWith('GET ');
    for (const [flag, term] of Object.entries(spec.options ?? {}))
      made.addOption(optionOf(flag, term, isQuery));
    made.action(async (...given: unknown[]) => {
      const names = args.map((arg, i) => [arg.slice(1, -1), given[i]]);
      const input = { ...Object.fromEntries(names), ...(given[args.length] as object) };
      const answer = await answerOf(cli, spec, input);
      if (spec.print) cli.show(answer, (shown) => spec.print?.(shown, input) ?? '');
      if (spec.fails?.(answer)) cli.exitCode = 1;
    });
  };

/** The groups of commands, with what the argument of most of them is. */
const GROUPS: Record<string, [description: string, argument: string]> = {
  admins: ['persons who administer the installation', 'the admin'],
  audit: ['what was changed, and by whom', ''],
  approvals: ['requests that need a second admin', 'the proposal'],
  keys: ['agent keys', 'the key'],
  users: ['users that payments are made for', 'the user'],
  lps: ['liquidity providers', 'the LP'],
  orders: ['orders of all agents', 'the order'],
  bulk: ['one command on many orders: a dry run, then its start', 'the run'],
  withdrawals: ['collateral that LPs withdraw', 'the withdrawal'],
  webhooks: ['webhooks of all agents and LPs', 'the webhook'],
  incident: ['say that a currency, a method or a chain is out of order, or works again', ''],
  ledger: ['the books', 'the amount in USD'],
};

function parentOf(program: Command, [group, name]: string[]): Command {
  if (name === undefined) return program;
  const found = program.commands.find((one) => one.name() === group);
  return found ?? program.command(String(group)).description(GROUPS[String(group)]?.[0] ?? '');
}

const PARSERS: Record<string, Parse> = {
  '<id>': idArgument,
  '<n>': numberArgument,
  '<amount>': numberArgument,
  '<number>': numberArgument,
  '<usd>': numberArgument,
  '<tier>': numberArgument,
};
const doesOf = (term: Term): string => (typeof term === 'string' ? term : term.does);
const parserOf = (placeholder: string, term: Term): Parse | undefined =>
  (typeof term === 'object' && term.parse) || PARSERS[placeholder];

function optionOf(flag: string, term: Term, isQuery: boolean): Option {
  const option = new Option(flag.replace(/!$/, ''), doesOf(term)).makeOptionMandatory(flag.endsWith('!'));
  const parse = parserOf(/<.*>/.exec(flag)?.[0] ?? '', term);
  if (parse && !isQuery) option.argParser(parse);
  if (typeof term === 'object' && term.default) option.default(term.default);
  if (typeof term === 'object' && term.choices) option.choices(term.choices);
  return option;
}

async function answerOf<Answer>(cli: Cli, spec: Spec<Answer>, input: Input): Promise<Answer> {
  const { call, options, fields } = spec;
  if (typeof call === 'function') return call(cli, input);
  const [method = '', template = ''] = call.split(' ');
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    delete rest[name];
    return input[name];
  });
  const sent = (fields ?? fieldsOf)(rest);
  if (method !== 'POST') return cli.call(method, pathWith(path, sent));
  // A command that can have no field sends no body.
  const hasBody = fields || options || Object.keys(rest).length > 0;
  return cli.call(method, path, hasBody ? sent : undefined);
}

/** The fields whose names are longer than those of their options. */
const FIELDS: Record<string, string> = {
  agent: 'agent_key_id',
  agentKey: 'agent_key_id',
  expires: 'expires_at',
  integrator: 'integrator_name',
  lp: 'lp_id',
  order: 'order_id',
  tag: 'destination_tag',
  usd: 'amount',
};

/** The API's fields for arguments and options: `--tx-hash` is `tx_hash`. */
export const fieldsOf = (input: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      FIELDS[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
