import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { PROJECT } from '../../src/process/build-cache.ts';
import { roleUrl } from '../../src/service/embedded/roles.ts';
import { BUNDLED, bundleWorkflows } from '../../src/service/worker/bundle.ts';
import { MUTANT, publishEnvironment, testEnvironment } from '../support/environment.ts';
import type { Mutant } from './serve-mutant.ts';

/**
 * Replaces the global setup of the tests: the servers run already. Makes again what contains the changed file: the database
 * to copy, or the bundle of the workflows. Attacks in `test/unit` have no servers, and need neither.
 */
export default async function setUpAttack(): Promise<void> {
  if (!process.env.CORRIDOR_TEST_ENVIRONMENT) return;
  // What is answered without a guard must not count as seen by the tests that share the servers.
  const [contractLog, contractDocument] = [join(tmpdir(), 'seen.txt'), join(tmpdir(), 'openapi.json')];
  const environment = { ...testEnvironment(), contractLog, contractDocument };
  const mutant = process.env[MUTANT];
  if (mutant) {
    const { file }: Mutant = JSON.parse(mutant);
    const changed = relative(PROJECT, file);
    if (changed.startsWith('src/db/'))
      environment.templateName = await migratedDatabase(environment.adminUrl);
    if (BUNDLED.some((folder) => changed.startsWith(`${folder}/`))) {
      environment.bundlePath = join(tmpdir(), 'workflows.js');
      await writeFile(environment.bundlePath, await bundleWorkflows());
    }
  }
  publishEnvironment(environment);
}

/** Creates a database with the schema of the changed files. Returns its name. */
async function migratedDatabase(adminUrl: string): Promise<string> {
  const name = `test_template_${randomBytes(6).toString('hex')}`;
  const db = await openDatabase({ url: adminUrl, debug: () => undefined });
  await db.query('create-template', `create database ${name} owner corridor_owner`, []);
  await db.close();
  const url = adminUrl.replace(/\/postgres$/, `/${name}`);
  await migrate({ url: roleUrl(url, 'owner'), debug: () => undefined });
  return name;
}
