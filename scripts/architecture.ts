import { dirname, join } from 'node:path/posix';

/** Files by path from the root of the repository, with forward slashes; values are their text. */
export type Sources = ReadonlyMap<string, string>;
/** One import as written, and where it leads: a path of the repository, or the name of a package. */
type Import = { readonly from: string; readonly to: string };

const CORE = 'packages/core/src/';
const SQL = /^(drizzle-orm|better-sqlite3|pg)(\/|$)/;
/** Folders that know no engine. Every other folder of core is an engine. */
const NEUTRAL = new Set(['primitives', 'storage', 'work', 'limits', 'transports']);
/** Root files of core that anyone may import; the others wire engines together. */
const COMMON = new Set(['errors.ts', 'config.ts', 'api.ts']);
const PRIVATE = /(^|\/)(store|hot|tables)\.ts$/;
const SPECIFIER = /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

const isTest = (path: string): boolean => /\.(test|contract)\.ts$|\/testing\/|^packages\/\w+\/test\//.test(path);
const packageOf = (path: string): string => /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? '';
/** Files of core that stand above its rooms: those at the root, the types of the library and the wiring. */
const ABOVE = /^(?:(?:api|wiring)\/)?[^/]+$/;
const isRootFile = (path: string): boolean => path.startsWith(CORE) && ABOVE.test(path.slice(CORE.length));
/** `events` for packages/core/src/events/x.ts, and nothing for a file above the rooms or of another package. */
const roomOf = (path: string): string =>
  path.startsWith(CORE) && !isRootFile(path) ? (/^([^/]+)\//.exec(path.slice(CORE.length))?.[1] ?? '') : '';
/** `settle` for packages/core/src/sending/settle/x.ts: the stations of a message are rooms within `sending`. */
const stationOf = (path: string): string => /^sending\/([^/]+)\//.exec(path.slice(CORE.length))?.[1] ?? '';
const isEngine = (room: string): boolean => room !== '' && !NEUTRAL.has(room);

const importsOf = (path: string, text: string): Import[] =>
  [...text.matchAll(SPECIFIER)].map((match) => {
    const name = match[1] ?? match[2] ?? '';
    return { from: path, to: name.startsWith('.') ? join(dirname(path), name) : name };
  });

type Rule = { readonly says: string; readonly isBroken: (one: Import) => boolean };

const rules: readonly Rule[] = [
  {
    says: 'primitives import nothing of ours but primitives and errors.ts',
    isBroken: ({ from, to }) =>
      roomOf(from) === 'primitives' &&
      to.startsWith('packages/') &&
      roomOf(to) !== 'primitives' &&
      to !== `${CORE}errors.ts`,
  },
  {
    says: 'storage, work, limits and transports know no engine',
    isBroken: ({ from, to }) => NEUTRAL.has(roomOf(from)) && roomOf(from) !== 'primitives' && isEngine(roomOf(to)),
  },
  {
    says: 'a room does not import the wiring at the root of core',
    isBroken: ({ from, to }) => roomOf(from) !== '' && isRootFile(to) && !COMMON.has(to.slice(CORE.length)),
  },
  {
    says: 'transports know no database',
    isBroken: ({ from, to }) => roomOf(from) === 'transports' && (roomOf(to) === 'storage' || PRIVATE.test(to)),
  },
  {
    says: "an engine does not import another engine's store, tables or hot queries",
    isBroken: ({ from, to }) =>
      isEngine(roomOf(from)) && isEngine(roomOf(to)) && roomOf(from) !== roomOf(to) && PRIVATE.test(to),
  },
  {
    says: 'SQL lives in storage/, store.ts, hot.ts and tables.ts',
    isBroken: ({ from, to }) =>
      packageOf(from) === 'core' &&
      SQL.test(to) &&
      roomOf(from) !== 'storage' &&
      !PRIVATE.test(from) &&
      !/\/src\/schema[^/]*\.ts$/.test(from),
  },
  {
    says: 'core imports neither http nor cli',
    isBroken: ({ from, to }) => packageOf(from) === 'core' && /^@beckon\//.test(to),
  },
  {
    says: 'http imports core and no other package of ours',
    isBroken: ({ from, to }) => packageOf(from) === 'http' && /^@beckon\/(?!core$)/.test(to),
  },
  {
    says: 'sdk-js imports nothing but its own files, and what Node has where it is for Node',
    isBroken: ({ from, to }) =>
      packageOf(from) === 'sdk-js' &&
      !to.startsWith('packages/sdk-js/src/') &&
      !(from.startsWith('packages/sdk-js/src/node/') && to.startsWith('node:')),
  },
  {
    says: 'a package reaches another by its name, not by a path, and nothing deep inside it',
    isBroken: ({ from, to }) =>
      packageOf(from) !== '' &&
      (/^@beckon\/[^/]+\//.test(to) ||
        (/^(packages\/|\.\.)/.test(to) && !to.startsWith(`packages/${packageOf(from)}/`))),
  },
];

/** Calls that keep a callback for later, when it has no caller: of timers by their names, of emitters by a literal event. */
const LATER =
  /\b(setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\(\s*|(?:\.(?:on|once|addListener|prependListener|addEventListener)\(\s*['"`][^'"`]+['"`]|\bprocess\.(?:on|once)\(\s*\w+),\s*/g;
/** What stands there: a call of `contained`, an end of a promise, which throws nothing, or a name. */
const CALLBACK = /^(?:(contained\()|(resolve|reject)\b|([a-zA-Z_]\w*)\s*[,)])/;

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Callbacks without a caller that are not wrapped in `contained`: what one throws would end the process. */
const uncontained = (path: string, text: string): string[] =>
  [...text.matchAll(LATER)].flatMap((call) => {
    const [, isWrapped, isEnd, name] = CALLBACK.exec(text.slice(call.index + call[0].length)) ?? [];
    if (isWrapped || isEnd) return [];
    if (name && new RegExp(`\\b${name}(?::[^=\\n]+)?\\s*=\\s*contained\\(`).test(text)) return [];
    return [`${path}:${lineOf(text, call.index)}: a callback that nobody waits for is wrapped in contained()`];
  });

const formOf = (path: string, text: string): string[] => [
  ...(path.endsWith('.tsx') ? ['Node strips types, not JSX: no .tsx'] : []),
  ...(/^\s*(export\s+)?(declare\s+)?(const\s+)?enum\s+\w/m.test(text) ? ['Node cannot strip an enum'] : []),
];

/** Pairs of places that import each other: the import lines of the direction that has fewer. */
const circles = (imports: readonly Import[], placeOf: (path: string) => string): string[] => {
  const inside = imports.filter(({ from, to }) => placeOf(from) !== '' && placeOf(to) !== '');
  const between = Map.groupBy(inside, ({ from, to }) => `${placeOf(from)} ${placeOf(to)}`);
  return [...between].flatMap(([pair, there]) => {
    const [a = '', b = ''] = pair.split(' ');
    const back = between.get(`${b} ${a}`)?.length ?? 0;
    if (a === b || back === 0 || there.length > back || (there.length === back && a > b)) return [];
    return there.map(({ from, to }) => `${from} imports ${to}: ${a} and ${b} import each other`);
  });
};

/**
 * Where the rules of ARCHITECTURE.md, "What may pass", are broken. Type imports count; tests are free to look anywhere.
 *
 * @param files sources under packages/<name>/src; anything else is ignored
 * @returns one line per breach, in the order of the files; empty when there is none. Throws nothing.
 */
export const breaches = (files: Sources): string[] => {
  const sources = [...files].filter(([path]) => packageOf(path) !== '' && !isTest(path));
  const imports = sources.flatMap(([path, text]) => importsOf(path, text));
  return [...broken(files), ...circles(imports, roomOf), ...circles(imports, stationOf)];
};

const broken = (files: Sources): string[] =>
  [...files].flatMap(([path, text]) => {
    if (packageOf(path) === '') return [];
    const form = formOf(path, text).map((says) => `${path}: ${says}`);
    if (isTest(path)) return form;
    // A page has no process that an error could end.
    const callbacks = packageOf(path) === 'sdk-js' ? [] : uncontained(path, text);
    const crossings = importsOf(path, text).flatMap((one) =>
      rules.filter((rule) => rule.isBroken(one)).map((rule) => `${path} imports ${one.to}: ${rule.says}`),
    );
    return [...form, ...callbacks, ...crossings];
  });
