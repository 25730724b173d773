import { keepCompiledCode } from '../process/compiled-code.ts';

keepCompiledCode();
await import('./program.ts');
