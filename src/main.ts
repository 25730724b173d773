import { keepCompiledCode } from './process/compiled-code.ts';

keepCompiledCode();
await import('./service/run.ts');
