import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** Everything that has imports. Only `src`, `workflows` and `activities` have rooms with an order. */
const FOLDERS = [
  ...['src', 'workflows', 'activities', 'console', 'client', 'dev', 'demo', 'companion', 'examples'],
  ...['bench', 'docs', 'storms', 'test'],
];

type Graph = Map<string, Set<string>>;

/** The room of a file: a folder of `src` or of `test`, or another top folder. */
const roomOf = (file: string): string =>
  /^(src|test)\/[^/]+(?=\/)/.exec(file)?.[0] ?? String(file.split('/')[0]);

/** The part of a room that a file is in: a folder directly below the room, or the file itself. */
function partOf(file: string): string {
  const rest = file.slice(roomOf(file).length + 1).split('/');
  return rest.length === 1 ? file : `${roomOf(file)}/${rest[0]}`;
}

/** Every file, with the files that it imports. Imports of types count: a reader follows them like any other. */
function imports(): Graph {
  const found: Graph = new Map();
  for (const top of FOLDERS)
    for (const name of readdirSync(join(PROJECT, top), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(tsx?|js)$/.test(name) || /(^|\/)(node_modules|dist)\//.test(name)) continue;
      const text = readFileSync(join(PROJECT, top, name), 'utf8');
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, to]) =>
        normalize(join(top, dirname(name), String(to))),
      );
      found.set(`${top}/${name}`, new Set(targets));
    }
  return found;
}

/** The same imports between groups of files. */
function between(files: Graph, groupOf: (file: string) => string): Graph {
  const groups: Graph = new Map();
  for (const [file, targets] of files) {
    const group = groups.get(groupOf(file)) ?? new Set();
    groups.set(groupOf(file), group);
    for (const target of targets) if (groupOf(target) !== groupOf(file)) group.add(groupOf(target));
  }
  return groups;
}

/** The circles of a graph: its strongly connected components of more than one node (Tarjan). */
function circles(graph: Graph): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (node: string): number => {
    order.set(node, order.size);
    lowest.set(node, order.get(node) ?? 0);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next))
        lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0, order.get(next) ?? 0));
    }
    if (lowest.get(node) === order.get(node)) {
      const component = open.splice(open.indexOf(node));
      if (component.length > 1) found.push(component.sort());
    }
    return 0;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** The rooms of docs/structure.md, from above, with what each may import. */
function rooms(): Map<string, string[]> {
  const rows = [
    ...readFileSync(join(PROJECT, 'docs/structure.md'), 'utf8').matchAll(
      /^\| `([^`]+)` \| .* \| ([^|]*) \|$/gm,
    ),
  ];
  const names = rows.map(([, room]) => String(room));
  return new Map(
    rows.map(([, room, known], row) => {
      if (known === 'all above') return [String(room), names.slice(0, row)];
      return [String(room), [...String(known).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name))];
    }),
  );
}

const files = imports();

test('Every room has one row in docs/structure.md, and imports only what its row names', () => {
  const actual = between(files, roomOf);
  const table = rooms();
  const inOrder = [...actual.keys()].filter((room) => /^(src\/|workflows|activities)/.test(room));
  expect([...table.keys()].sort()).toEqual(inOrder.sort());
  const forbidden = [...table].flatMap(([room, known]) =>
    [...(actual.get(room) ?? [])].filter((other) => !known.includes(other)).map((other) => [room, other]),
  );
  expect(forbidden).toEqual([]);
});

test('Every row of docs/structure.md names only rooms above its own', () => {
  const names = [...rooms().keys()];
  const below = [...rooms()].flatMap(([room, known]) =>
    known
      .filter((other) => !names.slice(0, names.indexOf(room)).includes(other))
      .map((other) => [room, other]),
  );
  expect(below).toEqual([]);
});

test('No files import each other in a circle', () => {
  expect(circles(files)).toEqual([]);
});

test('No rooms, and no parts of a room, import each other in a circle', () => {
  expect(circles(between(files, roomOf))).toEqual([]);
  const parts = between(files, partOf);
  const folders = new Map([...parts].filter(([part]) => !files.has(part)));
  expect(circles(folders)).toEqual([]);
});

test('The search finds a circle of two, a circle of three, and none in a chain', () => {
  const graph = (edges: [string, string][]): Graph => {
    const made: Graph = new Map();
    for (const [from, to] of edges) made.set(from, (made.get(from) ?? new Set()).add(to));
    return made;
  };
  expect(
    circles(
      graph([
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'c'],
      ]),
    ),
  ).toEqual([['a', 'b']]);
  expect(
    circles(
      graph([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
        ['d', 'a'],
      ]),
    ),
  ).toEqual([['a', 'b', 'c']]);
  expect(
    circles(
      graph([
        ['a', 'b'],
        ['b', 'c'],
        ['a', 'c'],
      ]),
    ),
  ).toEqual([]);
});
