import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../src/process/cache-folder.ts';
import { runCommand } from '../../src/service/embedded/run-command.ts';

/** How to start a browser. */
export interface BrowserProgram {
  executablePath: string;
  env?: Record<string, string>;
}

/** The package holds Chromium for this platform only, with the libraries and the fonts that it needs. */
const PLATFORM = 'linux-x64';
/** With this variable the package also unpacks the libraries. */
const UNPACK_LIBRARIES = { AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };
const UNPACK =
  "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath();";

/** The Chromium of the npm package, unpacked into the user's cache once. Undefined: the package has none for this platform. */
export function npmChromium(env: NodeJS.ProcessEnv): (() => Promise<BrowserProgram>) | undefined {
  if (`${process.platform}-${process.arch}` !== PLATFORM) return;
  return async () => {
    const folder = join(cacheFolder(env), `chromium-${packageVersion()}`);
    if (!existsSync(folder)) await unpack(folder, env);
    return {
      executablePath: join(folder, 'chromium'),
      env: {
        ...(env as Record<string, string>),
        LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
        FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      },
    };
  };
}

const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')), 'utf8'))
    .version;

/** Jest's workers may do this at the same time: each fills its own folder, and the first one to finish renames it. */
async function unpack(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(cacheFolder(env), { recursive: true });
  const work = await mkdtemp(`${folder}-new-`);
  try {
    // In its own process, because the package unpacks to the temporary folder and changes the environment.
    await runCommand(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      env: { ...env, ...UNPACK_LIBRARIES, TMPDIR: work },
    });
    await writeFile(join(work, 'fonts.conf'), fontsOf(folder));
    await rename(work, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Only the fonts of the package, so that pages look the same on every machine. The package's own file expects them in `/tmp`. */
const fontsOf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
