import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { cancel, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { type Authority, newAuthority } from '../../support/certificates.ts';
import { startCorridor } from '../../support/corridor.ts';
import { databaseSettings } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import { type SecuredPostgres, startSecuredPostgres } from '../../support/secured-postgres.ts';

/** PostgreSQL's own names for certificates, against a real server with TLS. */
const TLS_ONLY = 'hostssl all all 127.0.0.1/32 scram-sha-256';
const CERTIFIED = `${TLS_ONLY} clientcert=verify-ca`;
let folder: string;
let authority: Authority;
let postgres: SecuredPostgres;
const files: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-tls-'));
  authority = await newAuthority();
  const stranger = await newAuthority('Stranger');
  const [server, client, other, expired] = await Promise.all([
    authority.issue('localhost'),
    authority.issue('corridor_service'),
    stranger.issue('corridor_service'),
    authority.issue('corridor_service', { hasExpired: true }),
  ]);
  const contents = {
    ...{ sslrootcert: authority.cert, sslcert: client.cert, sslkey: client.key },
    ...{ strangersRoot: stranger.cert, strangersCert: other.cert, strangersKey: other.key },
    ...{ expiredCert: expired.cert, expiredKey: expired.key },
  };
  for (const [name, content] of Object.entries(contents)) {
    files[name] = join(folder, `${name}.pem`);
    await writeFile(files[name], content);
  }
  postgres = await startSecuredPostgres(server, authority.cert);
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** The URL with these options. */
function urlWith(options: Record<string, string | undefined>, host = 'localhost'): string {
  const url = postgres.url(host);
  for (const [name, value] of Object.entries(options)) if (value) url.searchParams.set(name, value);
  return url.href;
}
const VERIFIED = () => ({ sslmode: 'verify-full', sslrootcert: files.sslrootcert });
const ALL = () => ({ ...VERIFIED(), sslcert: files.sslcert, sslkey: files.sslkey });

test('connections have TLS also at a server that lets others in without', async () => {
  await postgres.letIn('host all all 127.0.0.1/32 scram-sha-256');
  const db = await openDatabase({ url: urlWith(VERIFIED()), poolSize: 1, debug: () => undefined });
  try {
    const sql = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
    expect(await db.query('own-ssl', sql, [])).toEqual([{ ssl: true }]);
  } finally {
    await db.close();
  }
});

test('with a client certificate, a Corridor works, and each of its connections has TLS', async () => {
  await postgres.letIn(CERTIFIED);
  const url = urlWith(ALL());
  await migrate({ url, debug: () => undefined });
  const corridor = await startCorridor({ databaseUrl: url });
  try {
    const agent = await newAgent(corridor);
    await newLp(corridor);
    await expectStatus(200, cancel(agent, await newOrder(agent)));
    expect((await corridor.admin('GET', '/metrics')).status).toBe(200);
    const sessions = () =>
      corridor.db.query<{ name: string; role: string; ssl: boolean }>(
        'sessions',
        `select distinct application_name as name, usename as role, ssl
         from pg_stat_activity join pg_stat_ssl using (pid) where application_name like 'corridor%' order by 1, 2`,
        [],
      );
    await eventually(async () => (await sessions()).length === 4);
    expect(await sessions()).toEqual([
      { name: 'corridor', role: 'corridor', ssl: true },
      { name: 'corridor', role: 'corridor_reader', ssl: true },
      { name: 'corridor', role: 'corridor_service', ssl: true },
      { name: 'corridor-outcomes', role: 'corridor_service', ssl: true },
    ]);
  } finally {
    await corridor.stop();
  }
});

test('renewed certificates of both sides, of another authority, are used without a restart', async () => {
  await postgres.letIn(CERTIFIED);
  const renewed = await newAuthority('Renewed');
  const [server, client] = [await renewed.issue('localhost'), await renewed.issue('corridor_service')];
  const own = { sslrootcert: 'own-root.pem', sslcert: 'own-cert.pem', sslkey: 'own-key.pem' };
  const write = async (contents: Record<keyof typeof own, string>) => {
    for (const [name, file] of Object.entries(own))
      await writeFile(join(folder, file), contents[name as keyof typeof own]);
  };
  const present = await authority.issue('corridor_service');
  await write({ sslrootcert: authority.cert, sslcert: present.cert, sslkey: present.key });
  const paths = Object.fromEntries(Object.entries(own).map(([name, file]) => [name, join(folder, file)]));
  const url = urlWith({ sslmode: 'verify-full', ...paths });
  const db = await openDatabase({ url, poolSize: 1, debug: () => undefined });
  const works = () =>
    db.query('works', 'select', []).then(
      () => true,
      () => false,
    );
  try {
    expect(await works()).toBe(true);
    await postgres.showCertificate(server);
    await postgres.trustClientsOf(renewed.cert);
    // Twice: the first one may find that its connection has ended.
    await works();
    expect(await works()).toBe(false);
    await rm(join(folder, own.sslkey));
    expect(await works()).toBe(false);
    await write({ sslrootcert: renewed.cert, sslcert: client.cert, sslkey: client.key });
    await eventually(works);
  } finally {
    await db.close();
    await postgres.showCertificate(await authority.issue('localhost'));
    await postgres.trustClientsOf(authority.cert);
  }
});

test.each<[string, string, () => Record<string, string | undefined>, RegExp]>([
  [
    'an authority that did not sign the server',
    TLS_ONLY,
    () => ({ ...VERIFIED(), sslrootcert: files.strangersRoot }),
    /its certificate is not of the authority in sslrootcert: name the right one/,
  ],
  [
    'no client certificate',
    CERTIFIED,
    VERIFIED,
    /it requires a client certificate: set sslcert=FILE and sslkey=FILE/,
  ],
  [
    'a client certificate of another authority',
    CERTIFIED,
    () => ({ ...VERIFIED(), sslcert: files.strangersCert, sslkey: files.strangersKey }),
    /it refuses the client certificate: sslcert must be of the authority that it trusts/,
  ],
  [
    'a client certificate that has expired',
    CERTIFIED,
    () => ({ ...VERIFIED(), sslcert: files.expiredCert, sslkey: files.expiredKey }),
    /the client certificate in sslcert has expired: renew it/,
  ],
  ['no TLS', TLS_ONLY, () => ({}), /it requires TLS: set sslmode=verify-full/],
  [
    'a file that is not there',
    TLS_ONLY,
    () => ({ ...VERIFIED(), sslrootcert: join(folder, 'nowhere.pem') }),
    /A file of sslrootcert, sslcert or sslkey .* cannot be read \(ENOENT/,
  ],
  [
    'a mode that does not check the server',
    TLS_ONLY,
    () => ({ ...VERIFIED(), sslmode: 'require' }),
    /sslmode=require would not prove which server answers\. Use sslmode=verify-full/,
  ],
])('with %s, one line says what to do', async (_, lines, options, says) => {
  await postgres.letIn(lines);
  expect(await refusal(urlWith(options()))).toMatch(says);
});

test('with a host that the certificate does not name, one line says what to do', async () => {
  await postgres.letIn(TLS_ONLY);
  expect(await refusal(urlWith(VERIFIED(), '127.0.0.1'))).toMatch(
    /its certificate names another host: use that name in the URL/,
  );
});

test('with a certificate that has expired, one line says what to do', async () => {
  await postgres.letIn(TLS_ONLY);
  await postgres.showCertificate(await authority.issue('localhost', { hasExpired: true }));
  expect(await refusal(urlWith(VERIFIED()))).toMatch(/its certificate is not valid now: renew it/);
});

test('with a server that has no TLS, one line says what to do', async () => {
  const { adminUrl } = testEnvironment();
  expect(await refusal(`${adminUrl}?sslmode=verify-full`)).toMatch(
    /it does not offer TLS: turn "ssl" on there/,
  );
});

/** Runs `migrate` against it, and returns the one line that it prints before it gives up. */
async function refusal(url: string): Promise<string> {
  const migrating = run('src/main.ts', ['migrate'], {
    ...databaseSettings(url),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
  });
  expect(await migrating.ends()).toBe(1);
  const said = migrating.stderr();
  expect(said).toMatch(/^corridor: .*\n$/);
  for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL'])
    expect(said).not.toContain(new URL(databaseSettings(url)[name] ?? url).password);
  return said;
}
