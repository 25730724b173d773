import { keepCompiledCode } from '../process/compiled-code.ts';

keepCompiledCode();
const { runAdmin } = await import('./run-admin.ts');
const { processTerminal } = await import('./terminal.ts');
process.exitCode = await runAdmin(process.argv.slice(2), process.env, processTerminal());
