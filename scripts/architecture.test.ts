import { describe, expect, it } from 'vitest';
import { breaches, readSources, structureOf } from './architecture.ts';
import { cyclesOf } from './import-graph.ts';

const core = (path: string): string => `packages/core/src/${path}`;
const one = (path: string, text: string): string[] => breaches(new Map([[path, text]]));
const from = (name: string): string => `import { x } from '${name}';\n`;

describe('the repository', () => {
  const sources = readSources();

  it('breaks no rule of what may pass', () => {
    expect(sources.size).toBeGreaterThan(0);
    expect(breaches(sources)).toEqual([]);
  });

  it('has no import cycle of files or modules, and no import against the order of the groups', () => {
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

  it('finds none where imports lead one way', () => {
    expect(cyclesOf(graph('ab', 'bc', 'ac', 'dc'))).toEqual([]);
  });

  it('finds a cycle of any length, largest first', () => {
    expect(cyclesOf(graph('ab', 'bc', 'cd', 'da', 'de', 'ef', 'fe'))).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('joins cycles that share a place', () => {
    expect(cyclesOf(graph('ab', 'ba', 'bc', 'cb'))).toEqual([['a', 'b', 'c']]);
  });
});

describe('structureOf', () => {
  const structure = (...files: readonly (readonly [path: string, text: string])[]) => structureOf(new Map(files));

  it('finds cycles of files and of modules, made of type imports too', () => {
    const { fileCycles, moduleCycles } = structure(
      [core('providers/names.ts'), `import type { A } from '../sending/channel.ts';`],
      [core('sending/channel.ts'), from('../settings/reader.ts')],
      [core('settings/reader.ts'), from('../providers/names.ts')],
      [core('settings/reader.test.ts'), from('../caps/rules.ts')],
      [core('caps/rules.ts'), from('../settings/reader.ts')],
    );
    expect(fileCycles).toEqual([[core('providers/names.ts'), core('sending/channel.ts'), core('settings/reader.ts')]]);
    expect(moduleCycles).toEqual([['providers', 'sending', 'settings']]);
  });

  it.each([
    ['from a group to a later one', 'events/ingest.ts', '../sending/sending.ts', 'sending/sending.ts'],
    ['between groups of one rank', 'events/ingest.ts', '../transports/port.ts', 'transports/port.ts'],
    ['from a module to the app', 'events/ingest.ts', '../beckon.ts', 'beckon.ts'],
  ])('finds an import %s', (_, file, name, target) => {
    expect(structure([core(file), from(name)], [core(target), '']).backwards).toHaveLength(1);
  });

  it.each([
    ['to an earlier group', 'sending/sending.ts', '../events/ingest.ts', 'events/ingest.ts'],
    ['within a group', 'push/push.ts', '../sending/sending.ts', 'sending/sending.ts'],
    ['from the app', 'beckon.ts', './analytics/counts.ts', 'analytics/counts.ts'],
  ])('allows an import %s', (_, file, name, target) => {
    expect(structure([core(file), from(name)], [core(target), '']).backwards).toEqual([]);
  });
});

describe('breaches', () => {
  it.each([
    ['a primitive that imports an engine', core('primitives/ids.ts'), '../events/ingest.ts'],
    ['a client of pages that imports core', 'packages/sdk-js/src/client.ts', '@beckon/core'],
    ['a client of pages that imports a package', 'packages/sdk-js/src/client.ts', 'uuid'],
    ['a client of pages that imports what Node has', 'packages/sdk-js/src/client.ts', 'node:crypto'],
    ['a primitive that imports storage', core('primitives/ids.ts'), '../storage/columns.ts'],
    ['storage that imports an engine', core('storage/sqlite/open.ts'), '../../profiles/profiles.ts'],
    ['storage that imports the wiring', core('storage/context.ts'), '../tables.ts'],
    ['work that imports an engine', core('work/worker.ts'), '../sending/dispatch.ts'],
    ['a transport that imports storage', core('transports/smtp.ts'), '../storage/columns.ts'],
    ["an engine that imports another's store", core('events/ingest.ts'), '../profiles/store.ts'],
    ["a store that imports another's tables", core('sending/store.ts'), '../tenancy/tables.ts'],
    ['an engine that imports another from a deeper folder', core('workflows/steps/send.ts'), '../../sending/hot.ts'],
    ['an engine that speaks SQL', core('events/ingest.ts'), 'drizzle-orm/sqlite-core'],
    ['wiring that speaks SQL', core('beckon.ts'), 'pg'],
    ['core that imports http', core('beckon.ts'), '@beckon/http'],
    ['http that imports the cli', 'packages/http/src/handler.ts', '@beckon/cli'],
    ['http that reaches into core by path', 'packages/http/src/handler.ts', '../../core/src/events/ingest.ts'],
    ['the cli that reaches into core by a deep name', 'packages/cli/src/main.ts', '@beckon/core/src/storage/open.ts'],
  ])('catches %s', (_, path, name) => {
    expect(one(path, from(name))).toEqual([expect.stringContaining(path)]);
  });

  it.each([
    ['a type import', `import type { X } from '../profiles/tables.ts';`],
    ['an import over several lines', `import {\n  a,\n  b,\n} from '../profiles/tables.ts';`],
    ['a re-export', `export { a } from '../profiles/tables.ts';`],
    ['a dynamic import', `const a = await import('../profiles/tables.ts');`],
    ['an import for its effect', `import '../profiles/tables.ts';`],
  ])('reads %s', (_, text) => {
    expect(one(core('events/ingest.ts'), text)).toHaveLength(1);
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
  ])('catches an unwrapped callback of %s', (_, text) => {
    expect(one(core('events/ingest.ts'), text)).toEqual([expect.stringContaining('wrapped in contained()')]);
  });

  it.each([
    ['a wrapped timer', 'setTimeout(contained(() => copy()), 500);'],
    ['a wrapped event over several lines', "socket.on(\n  'close',\n  contained(() => gone()),\n);"],
    ['a callback that was wrapped before', 'const flush = contained(work, tell);\nsetImmediate(flush);'],
    ['a promise that a timer ends', 'new Promise((resolve) => setTimeout(resolve, ms));'],
    ['a promise that an error ends', "socket.once('error', reject);"],
    ['what is no emitter', 'c.index("a").on(t.scopeId, t.id); tree.on(route.method, path);'],
  ])('allows %s', (_, text) => {
    expect(one(core('events/ingest.ts'), text)).toEqual([]);
  });

  it('lets tests hold callbacks as they like', () => {
    expect(one(core('events/ingest.test.ts'), 'setTimeout(() => done(), 1);')).toEqual([]);
  });

  it.each([
    ['an engine that imports its own store', core('events/ingest.ts'), './store.ts'],
    ["an engine that imports another's types", core('events/ingest.ts'), '../profiles/profiles.ts'],
    ['a store that speaks SQL', core('events/store.ts'), 'drizzle-orm'],
    ['the wiring that imports stores', core('beckon.ts'), './events/store.ts'],
    ['a primitive that throws our error', core('primitives/ids.ts'), '../errors.ts'],
    ['a client for Node that imports what Node has', 'packages/sdk-js/src/node/verify.ts', 'node:crypto'],
    ['http that imports core', 'packages/http/src/handler.ts', '@beckon/core'],
    ["a test that imports another's store", core('events/ingest.test.ts'), '../profiles/store.ts'],
  ])('allows %s', (_, path, name) => {
    expect(one(path, from(name))).toEqual([]);
  });

  it('catches stations of sending that import each other', () => {
    const files = new Map([
      [core('sending/settle/outcome.ts'), from('../deliver/gates.ts')],
      [core('sending/deliver/x.ts'), from('../settle/y.ts')],
    ]);
    expect(breaches(files)).toEqual([expect.stringContaining('import each other')]);
  });

  it('lets the wiring of sending and its stations import each other', () => {
    const files = new Map([
      [core('sending/sending.ts'), from('./settle/outcome.ts')],
      [core('sending/settle/outcome.ts'), from('../schema.ts')],
    ]);
    expect(breaches(files)).toEqual([]);
  });

  it('catches a .tsx file', () => {
    expect(one('packages/cli/src/ui/dash.tsx', '')).toHaveLength(1);
  });

  it('catches an enum', () => {
    expect(one(core('events/kind.ts'), 'export const enum Kind { a }\n')).toHaveLength(1);
  });
});
