import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../src/process/cache-folder.ts';
import { runCommand } from '../../src/service/embedded/run-command.ts';

const HELM_VERSION = '3.22.0';
const VALIDATOR_VERSION = '1.37.0';

/** The programs that check the Helm chart: Helm, and a Python that has kubernetes-validate. */
export interface HelmTools {
  helm: string;
  python: string;
}

/**
 * The tools in the user's cache. With TEST_HELM=1 (`npm run test:helm`), what is missing is installed there once: Helm by Go,
 * kubernetes-validate by Python. Undefined if one is missing: building Helm takes minutes, and needs Go.
 */
export async function findHelmTools(): Promise<HelmTools | undefined> {
  const helm = await cached(`helm-${HELM_VERSION}`, 'helm', (folder) =>
    runCommand('go', ['install', '-ldflags=-s -w', `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`], {
      env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' },
    }),
  );
  const python = await cached(
    `kubernetes-validate-${VALIDATOR_VERSION}`,
    join('bin', 'python'),
    async (folder) => {
      await runCommand('python3', ['-m', 'venv', folder]);
      const pip = ['-m', 'pip', 'install', '--quiet', `kubernetes-validate==${VALIDATOR_VERSION}`];
      await runCommand(join(folder, 'bin', 'python'), pip);
    },
  );
  if (helm && python) return { helm, python };
  process.stderr.write(
    'Helm or kubernetes-validate is missing: the tests of the chart are skipped. "npm run test:helm" installs both\n',
  );
  return undefined;
}

async function cached(
  name: string,
  program: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string | undefined> {
  const cache = cacheFolder(process.env);
  const place = join(cache, name);
  if (existsSync(place)) return join(place, program);
  if (process.env.TEST_HELM === undefined) return undefined;
  await mkdir(cache, { recursive: true });
  process.stderr.write(`installing ${name} (once) …\n`);
  const work = await mkdtemp(join(cache, 'new-'));
  try {
    await install(work);
    await rename(work, place);
    return join(place, program);
  } catch (error) {
    process.stderr.write(`${name} could not be installed: ${(error as Error).message}\n`);
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
