import { runCheck } from './run-check.ts';
import { processTerminal } from './terminal.ts';

process.exitCode = await runCheck(process.argv.slice(2), process.env, processTerminal());
