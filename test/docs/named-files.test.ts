import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

/** Pages and comments name files of the repository in backticks. A word in capitals stands for any name. */
const PAGES = ['*.md', 'docs/*.md', 'ops/*.md', 'examples/*.md', 'client/*.md'];
const SOURCES = ['src', 'workflows', 'activities', 'dev', 'bench', 'console/src', 'test', 'storms'].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
);
const NAMED =
  /`((?:src|workflows|activities|test|storms|bench|dev|docs|console|client|ops|deploy|examples|\.ci)\/[\w./-]+)`/g;

/** Some are built and not in the repository. */
const BUILT = /^client\/dist/;

test('every file that a page or a comment names exists', () => {
  const missing = globSync([...PAGES, ...SOURCES]).flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(NAMED)]
      .map(([, path]) => path as string)
      .filter(
        (path) => !BUILT.test(path) && !/\b[A-Z]+\b/.test(path.replace(/\w+\.md$/, '')) && !existsSync(path),
      )
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});
