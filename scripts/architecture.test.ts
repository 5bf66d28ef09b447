import { describe, expect, it } from 'vitest';
import { breaches, readSources, structureOf } from './architecture.ts';
import { cyclesOf } from './import-graph.ts';

const core = (path: string): string => `packages/core/src/${path}`;
const one = (path: string, text: string): string[] => breaches(new Map([[path, text]]));
const from = (name: string): string => `import { x } from '${name}';\n`;

describe('architecture of the repository', () => {
  const sources = readSources();

  it('no file breaks an import rule', () => {
    expect(sources.size).toBeGreaterThan(0);
    expect(breaches(sources)).toEqual([]);
  });

  it('there is no import cycle of files or modules, and no import against the order of the groups', () => {
    const { fileCycles, moduleCycles, backwards, barrels } = structureOf(sources);
    expect({ fileCycles, moduleCycles, backwards, barrels }).toEqual({
      fileCycles: [],
      moduleCycles: [],
      backwards: [],
      barrels: [],
    });
  });
});

describe('cyclesOf', () => {
  const graph = (...edges: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
    const found = new Map<string, Set<string>>();
    for (const [from = '', to = ''] of edges) found.set(from, (found.get(from) ?? new Set()).add(to));
    return found;
  };

  it('imports in one direction have no cycle', () => {
    expect(cyclesOf(graph('ab', 'bc', 'ac', 'dc'))).toEqual([]);
  });

  it('import cycles of any length are found, largest first', () => {
    expect(cyclesOf(graph('ab', 'bc', 'cd', 'da', 'de', 'ef', 'fe'))).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('cycles with a common member are one cycle', () => {
    expect(cyclesOf(graph('ab', 'ba', 'bc', 'cb'))).toEqual([['a', 'b', 'c']]);
  });
});

describe('structureOf', () => {
  const structure = (...files: readonly (readonly [path: string, text: string])[]) => structureOf(new Map(files));

  it('cycles of files and of modules are found, type imports included', () => {
    const { fileCycles, moduleCycles } = structure(
      [core('delivery/providers/names.ts'), `import type { A } from '../../messaging/sends/channel.ts';`],
      [core('messaging/sends/channel.ts'), from('../settings/reader.ts')],
      [core('messaging/settings/reader.ts'), from('../../delivery/providers/names.ts')],
      [core('messaging/settings/reader.test.ts'), from('../caps/rules.ts')],
      [core('messaging/caps/rules.ts'), from('../settings/reader.ts')],
    );
    expect(fileCycles).toEqual([
      [core('delivery/providers/names.ts'), core('messaging/sends/channel.ts'), core('messaging/settings/reader.ts')],
    ]);
    expect(moduleCycles).toEqual([['providers', 'sends', 'settings']]);
  });

  it.each([
    [
      'from a group to a later one',
      'people/events/ingest.ts',
      '../../messaging/sends/sending.ts',
      'messaging/sends/sending.ts',
    ],
    [
      'between groups of one rank',
      'people/events/ingest.ts',
      '../../delivery/transports/port.ts',
      'delivery/transports/port.ts',
    ],
    ['from a module to the app', 'people/events/ingest.ts', '../../app/create.ts', 'app/create.ts'],
  ])('%s is found as an import', (_, file, name, target) => {
    expect(structure([core(file), from(name)], [core(target), '']).backwards).toHaveLength(1);
  });

  it.each([
    ['to an earlier group', 'messaging/sends/sending.ts', '../../people/events/ingest.ts', 'people/events/ingest.ts'],
    ['within a group', 'messaging/push/push.ts', '../sends/sending.ts', 'messaging/sends/sending.ts'],
    ['from the app', 'app/create.ts', '../insight/analytics/counts.ts', 'insight/analytics/counts.ts'],
  ])('%s is allowed as an import', (_, file, name, target) => {
    expect(structure([core(file), from(name)], [core(target), '']).backwards).toEqual([]);
  });
});

describe('breaches', () => {
  it.each([
    ['a file of foundation that imports an engine', core('foundation/ids.ts'), '../people/events/ingest.ts'],
    ['a client of pages that imports core', 'packages/sdk-js/src/client.ts', '@beckon/core'],
    ['a client of pages that imports a package', 'packages/sdk-js/src/client.ts', 'uuid'],
    ['a client of pages that imports what Node has', 'packages/sdk-js/src/client.ts', 'node:crypto'],
    ['a file of foundation that imports the database', core('foundation/ids.ts'), '../database/columns.ts'],
    ['the database that imports an engine', core('database/sqlite/open.ts'), '../../people/profiles/profiles.ts'],
    ['the database that imports the app', core('database/context.ts'), '../app/tables.ts'],
    ['jobs that import an engine', core('jobs/worker.ts'), '../messaging/sends/dispatch.ts'],
    ['a transport that imports the database', core('delivery/transports/smtp.ts'), '../../database/columns.ts'],
    ["an engine that imports another's store", core('people/events/ingest.ts'), '../profiles/store.ts'],
    ["a store that imports another's tables", core('messaging/sends/store.ts'), '../../platform/tenancy/tables.ts'],
    [
      'an engine that imports another from a deeper folder',
      core('automation/workflows/steps/send.ts'),
      '../../../messaging/sends/statements.ts',
    ],
    ['an engine that speaks SQL', core('people/events/ingest.ts'), 'drizzle-orm/sqlite-core'],
    ['the app that speaks SQL', core('app/create.ts'), 'pg'],
    ['core that imports http', core('app/create.ts'), '@beckon/http'],
    ['http that imports the cli', 'packages/http/src/handler.ts', '@beckon/cli'],
    ['http that reaches into core by path', 'packages/http/src/handler.ts', '../../core/src/people/events/ingest.ts'],
    ['the cli that reaches into core by a deep name', 'packages/cli/src/main.ts', '@beckon/core/src/database/open.ts'],
  ])('%s is a breach', (_, path, name) => {
    expect(one(path, from(name))).toEqual([expect.stringContaining(path)]);
  });

  it.each([
    ['a type import', `import type { X } from '../profiles/tables.ts';`],
    ['an import over several lines', `import {\n  a,\n  b,\n} from '../profiles/tables.ts';`],
    ['a re-export', `export { a } from '../profiles/tables.ts';`],
    ['a dynamic import', `const a = await import('../profiles/tables.ts');`],
    ['an import for its effect', `import '../profiles/tables.ts';`],
  ])('%s is read as an import', (_, text) => {
    expect(one(core('people/events/ingest.ts'), text)).toHaveLength(1);
  });

  it.each([
    ['a timer', 'setTimeout(() => copy(), 500).unref();'],
    ['an interval over several lines', 'setInterval(\n  () => renew(),\n  10,\n);'],
    ['a turn of the event loop', 'setImmediate(flush);'],
    ['a microtask', 'queueMicrotask(() => void flush());'],
    ['an event', "socket.once('close', () => gone());"],
    ['the second event of a chain', "const a = contained(b);\nreq.on('data', a).on('end', () => end());"],
    ['an abort', "signal.addEventListener('abort', leave, { once: true });"],
    ['a signal of the process', 'process.on(signal, listener);'],
    ['a name that is wrapped elsewhere under another name', 'const other = contained(flush);\nsetImmediate(flush);'],
  ])('an unwrapped callback of %s is a breach', (_, text) => {
    expect(one(core('people/events/ingest.ts'), text)).toEqual([expect.stringContaining('wrapped in contained()')]);
  });

  it.each([
    ['a wrapped timer', 'setTimeout(contained(() => copy()), 500);'],
    ['a wrapped event over several lines', "socket.on(\n  'close',\n  contained(() => gone()),\n);"],
    ['a callback that was wrapped before', 'const flush = contained(work, tell);\nsetImmediate(flush);'],
    ['a promise that a timer ends', 'new Promise((resolve) => setTimeout(resolve, ms));'],
    ['a promise that an error ends', "socket.once('error', reject);"],
    ['what is no emitter', 'c.index("a").on(t.scopeId, t.id); tree.on(route.method, path);'],
  ])('%s is no breach', (_, text) => {
    expect(one(core('people/events/ingest.ts'), text)).toEqual([]);
  });

  it('tests may use unwrapped callbacks', () => {
    expect(one(core('people/events/ingest.test.ts'), 'setTimeout(() => done(), 1);')).toEqual([]);
  });

  it.each([
    ['an engine that imports its own store', core('people/events/ingest.ts'), './store.ts'],
    ["an engine that imports another's types", core('people/events/ingest.ts'), '../profiles/profiles.ts'],
    ['a store that speaks SQL', core('people/events/store.ts'), 'drizzle-orm'],
    ['the app that imports stores', core('app/create.ts'), '../people/events/store.ts'],
    ['a module that imports the type of the platform', core('platform/limits/module.ts'), '../platform.ts'],
    ['a file of foundation that throws our error', core('foundation/ids.ts'), './errors.ts'],
    ['a client for Node that imports what Node has', 'packages/sdk-js/src/node/verify.ts', 'node:crypto'],
    ['http that imports core', 'packages/http/src/handler.ts', '@beckon/core'],
    ["a test that imports another's store", core('people/events/ingest.test.ts'), '../profiles/store.ts'],
  ])('%s is allowed', (_, path, name) => {
    expect(one(path, from(name))).toEqual([]);
  });

  it('stages of sends that import each other are a breach', () => {
    const files = new Map([
      [core('messaging/sends/finalize/outcome.ts'), from('../deliver/gates.ts')],
      [core('messaging/sends/deliver/x.ts'), from('../finalize/y.ts')],
    ]);
    expect(breaches(files)).toEqual([expect.stringContaining('import each other')]);
  });

  it('the module file of sends and its stages may import each other', () => {
    const files = new Map([
      [core('messaging/sends/sending.ts'), from('./finalize/outcome.ts')],
      [core('messaging/sends/finalize/outcome.ts'), from('../schema.ts')],
    ]);
    expect(breaches(files)).toEqual([]);
  });

  it.each([
    ['an exported type', 'export type Deps = {\n  readonly load: Parameters<typeof made>[0];\n};\n'],
    ['parameters', 'export const send = (message: Parameters<typeof made>[0]): void => undefined;\n'],
    [
      'a second parameter',
      'export const send = async (\n  a: () => void,\n  b: Parameters<typeof made>[1],\n) => {};\n',
    ],
    ['an answer', 'export const send = (): Parameters<typeof made> => other();\n'],
    ['a constant', 'export const sent: Parameters<typeof made> = [];\n'],
    ['a function', 'export function send<T>(message: Parameters<typeof made>[0]): T {}\n'],
  ])('parameters of another function in the type of %s are a breach', (_, text) => {
    expect(one(core('people/events/ingest.ts'), text)).toHaveLength(1);
  });

  it.each([
    ['a type that is not exported', 'type Deps = {\n  readonly load: Parameters<typeof made>[0];\n};\n'],
    ['a body', 'export const send = (): void => {\n  const load = (one: Parameters<typeof made>[0]) => one;\n};\n'],
    ['a body in parentheses', 'export const send = (): void =>\n  made((one: Parameters<typeof made>[0]) => one);\n'],
    ['the value of a constant', 'export const sent = made((one: Parameters<typeof made>[0]) => one);\n'],
    ['what follows an exported type', 'export type A = string;\n\ntype B = Parameters<typeof made>;\n'],
  ])('parameters of another function in %s are allowed', (_, text) => {
    expect(one(core('people/events/ingest.ts'), text)).toEqual([]);
    expect(one(core('people/events/ingest.test.ts'), text)).toEqual([]);
  });

  it('a .tsx file is a breach', () => {
    expect(one('packages/cli/src/ui/dash.tsx', '')).toHaveLength(1);
  });

  it('an enum is a breach', () => {
    expect(one(core('people/events/kind.ts'), 'export const enum Kind { a }\n')).toHaveLength(1);
  });
});
