// The import rules, and measurements of the code's structure. `node scripts/architecture.ts` prints the figures.
import { globSync, readFileSync } from 'node:fs';
import { cyclesOf, graphOf, type Import, importsOf, type Sources } from './import-graph.ts';

const CORE = 'packages/core/src/';
const SQL = /^(drizzle-orm|better-sqlite3|pg)(\/|$)/;
/** Groups whose folder is one module; folders of the other groups are modules. */
const WHOLE = new Set(['foundation', 'database', 'jobs', 'webhooks', 'app']);
/** Modules that know no engine. Every other module of core except the app is an engine. */
const NEUTRAL = new Set(['foundation', 'database', 'jobs', 'limits', 'transports']);
const PRIVATE = /(^|\/)(store|statements|tables)\.ts$/;

const isTest = (path: string): boolean => /\.test\.ts$|\/testing\/|^packages\/[\w-]+\/test\//.test(path);
const packageOf = (path: string): string => /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? '';
/** `events` for packages/core/src/people/events/x.ts, `app` for files at the root, and nothing for another package. */
const moduleOf = (path: string): string => {
  if (!path.startsWith(CORE)) return '';
  const [group = '', name = '', ...rest] = path.slice(CORE.length).split('/');
  if (name === '') return 'app';
  return WHOLE.has(group) || rest.length === 0 ? group : name;
};
/** `finalize` for packages/core/src/messaging/sends/finalize/x.ts: the stages of a message. */
const stageOf = (path: string): string => /^messaging\/sends\/([^/]+)\//.exec(path.slice(CORE.length))?.[1] ?? '';
const isApp = (path: string): boolean => moduleOf(path) === 'app';
/** `platform` is the type of the common parts of all modules, so it is no engine. */
const isEngine = (path: string): boolean =>
  !['', 'app', 'platform'].includes(moduleOf(path)) && !NEUTRAL.has(moduleOf(path));

type Rule = { readonly says: string; readonly isBroken: (one: Import) => boolean };

const rules: readonly Rule[] = [
  {
    says: 'foundation imports nothing of ours but itself',
    isBroken: ({ from, to }) =>
      moduleOf(from) === 'foundation' && to.startsWith('packages/') && moduleOf(to) !== 'foundation',
  },
  {
    says: 'database, jobs, limits and transports know no engine',
    isBroken: ({ from, to }) => NEUTRAL.has(moduleOf(from)) && moduleOf(from) !== 'foundation' && isEngine(to),
  },
  {
    says: 'a module does not import the app',
    isBroken: ({ from, to }) => moduleOf(from) !== '' && !isApp(from) && isApp(to),
  },
  {
    says: 'transports know no database',
    isBroken: ({ from, to }) =>
      moduleOf(from) === 'transports' && (moduleOf(to) === 'database' || (isEngine(to) && PRIVATE.test(to))),
  },
  {
    says: "an engine does not import another engine's store, tables or statements",
    isBroken: ({ from, to }) => isEngine(from) && isEngine(to) && moduleOf(from) !== moduleOf(to) && PRIVATE.test(to),
  },
  {
    says: 'SQL lives in database/, store.ts, statements.ts and tables.ts',
    isBroken: ({ from, to }) =>
      packageOf(from) === 'core' && SQL.test(to) && moduleOf(from) !== 'database' && !PRIVATE.test(from),
  },
  {
    says: 'core imports neither http nor cli',
    isBroken: ({ from, to }) => packageOf(from) === 'core' && /^@beckon\//.test(to),
  },
  {
    says: 'http imports core and no other package of ours',
    isBroken: ({ from, to }) => packageOf(from) === 'http' && /^@beckon\/(?!core(?:\/identity)?$)/.test(to),
  },
  {
    says: 'sdk-js imports nothing but its own files, and what Node has where it is for Node',
    isBroken: ({ from, to }) =>
      packageOf(from) === 'sdk-js' &&
      !to.startsWith('packages/sdk-js/src/') &&
      !(from.startsWith('packages/sdk-js/src/node/') && to.startsWith('node:')),
  },
  {
    // `@beckon/sdk-js/node` and `@beckon/core/identity` are names that the packages export.
    says: 'a package reaches another by its name, not by a path, and nothing deep inside it',
    isBroken: ({ from, to }) =>
      packageOf(from) !== '' &&
      (/^@beckon\/(?!(?:sdk-js\/node|core\/identity)$)[^/]+\//.test(to) ||
        (/^(packages\/|\.\.)/.test(to) && !to.startsWith(`packages/${packageOf(from)}/`))),
  },
];

/** Calls that store a callback, which then runs without a caller: of timers by name, of emitters by a literal event. */
const LATER =
  /\b(setTimeout|setInterval|setImmediate|queueMicrotask|nextTick)\(\s*|(?:\.(?:on|once|addListener|prependListener|addEventListener)\(\s*['"`][^'"`]+['"`]|\bprocess\.(?:on|once)\(\s*\w+),\s*/g;
/** The argument: a call of `contained`, a promise's resolve or reject, which throws nothing, or a name. */
const CALLBACK = /^(?:(contained\()|(resolve|reject)\b|([a-zA-Z_]\w*)\s*[,)])/;

/** Start of an exported statement; the code is formatted, so it is at the beginning of a line. */
const EXPORTED = /^export (?:default )?(?:async )?(type|interface|const|function)\b/gm;

/** End of the signature of an exported function or constant: its first `=>` or `{` outside of brackets, or its `=`. */
const signatureEnd = (text: string, from: number): number => {
  let depth = 0;
  let isValue = false;
  for (let at = from; at < text.length; at += 1) {
    const next = text.slice(at, at + 2);
    if (next === '=>') {
      if (depth === 0) return at;
      at += 1;
    } else if ('([{<'.includes(text[at] ?? '')) {
      if (depth === 0 && text[at] === '{') return at;
      depth += 1;
    } else if (')]}>'.includes(text[at] ?? '')) depth -= 1;
    else if (depth === 0 && text[at] === ';') return at;
    else if (depth === 0 && next === '= ') {
      // A value other than a function has no signature.
      if (isValue || !/^= (?:async )?[(<]/.test(text.slice(at, at + 10))) return at;
      isValue = true;
    }
  }
  return text.length;
};

/** Exported types and signatures that take parameters from another function: a reader must then read both. */
const derivedParameters = (path: string, text: string): string[] => {
  if (!path.startsWith(CORE) || !text.includes('Parameters<typeof')) return [];
  return [...text.matchAll(EXPORTED)].flatMap(({ 0: head, 1: kind, index }) => {
    const isType = kind === 'type' || kind === 'interface';
    const end = isType ? text.indexOf('\n\n', index) : signatureEnd(text, index + head.length);
    const found = text.slice(index, end === -1 ? undefined : end).indexOf('Parameters<typeof');
    return found === -1 ? [] : [`${path}:${lineOf(text, index + found)}: exported types are written by hand`];
  });
};

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Callbacks without a caller that are not wrapped in `contained`: an error in one would end the process. */
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

/** One line per import cycle of these places. */
const cycleLines = (imports: readonly Import[], placeOf: (path: string) => string): string[] =>
  cyclesOf(graphOf(imports, placeOf)).map((cycle) => `${cycle.join(', ')} import each other`);

/**
 * The groups of core in import order: each may import itself and groups before it; groups of one line do not import
 * each other.
 */
const GROUPS: readonly (readonly string[])[] = [
  ['foundation'],
  ['database'],
  ['jobs'],
  ['platform'],
  ['people', 'delivery'],
  ['messaging'],
  ['automation', 'webhooks'],
  ['identity'],
  ['insight'],
  ['app'],
];

/** The group of a file of core and its rank. Files at the root belong to the app. */
const groupOf = (path: string): { readonly rank: number; readonly group: string } | null => {
  if (!path.startsWith(CORE)) return null;
  const [name = ''] = path.slice(CORE.length).split('/');
  const group = name.endsWith('.ts') ? 'app' : name;
  return { rank: GROUPS.findIndex((groups) => groups.includes(group)), group };
};

/** True for an import against the order of the groups. */
const isBackwards = ({ from, to }: Import): boolean => {
  const [a, b] = [groupOf(from), groupOf(to)];
  return a !== null && b !== null && (b.rank > a.rank || (b.rank === a.rank && b.group !== a.group));
};

/** Structure of the code. Counts production code of all packages; cycles count type imports. */
export type Structure = {
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  /** Percentage of files with fewer lines. */
  readonly under40: number;
  readonly under60: number;
  readonly fileCycles: readonly (readonly string[])[];
  readonly moduleCycles: readonly (readonly string[])[];
  /** Imports against the order of the groups. */
  readonly backwards: readonly Import[];
  /** Imports of `index.ts` within core. */
  readonly barrels: readonly Import[];
};

/** Measures sources under packages/<name>/src. Tests, test support and generated files do not count. */
export const structureOf = (all: Sources): Structure => {
  const files = new Map([...all].filter(([path]) => !isTest(path) && !/\/generated\/|\.generated\.ts$/.test(path)));
  const imports = [...files].flatMap(([path, text]) => importsOf(path, text)).filter(({ to }) => files.has(to));
  const lines = [...files.values()].map((text) => text.split('\n').length - 1).toSorted((a, b) => a - b);
  const percentUnder = (limit: number): number =>
    Math.round((100 * lines.filter((count) => count < limit).length) / Math.max(1, lines.length));
  return {
    files: lines.length,
    lines: lines.reduce((sum, count) => sum + count, 0),
    medianLines: lines[lines.length >> 1] ?? 0,
    under40: percentUnder(40),
    under60: percentUnder(60),
    fileCycles: cyclesOf(graphOf(imports, (path) => path)),
    moduleCycles: cyclesOf(graphOf(imports, moduleOf)),
    backwards: imports.filter(isBackwards),
    barrels: imports.filter(
      ({ from, to }) => from.startsWith(CORE) && from !== `${CORE}index.ts` && to === `${CORE}index.ts`,
    ),
  };
};

/** The sources of all packages, relative to the root of the repository. */
export const readSources = (): Sources => {
  const paths = globSync('packages/*/src/**/*.{ts,tsx}').map((path) => path.replaceAll('\\', '/'));
  return new Map(paths.toSorted().map((path) => [path, readFileSync(path, 'utf8')]));
};

/**
 * Breaches of the rules of ARCHITECTURE.md, "Packages and groups". Type imports count; tests may import anything.
 *
 * @param files sources under packages/<name>/src; anything else is ignored
 * @returns one line per breach, in the order of the files; empty if there is none. Throws nothing.
 */
export const breaches = (files: Sources): string[] => {
  const sources = [...files].filter(([path]) => packageOf(path) !== '' && !isTest(path));
  const imports = sources.flatMap(([path, text]) => importsOf(path, text));
  return [...broken(files), ...cycleLines(imports, stageOf)];
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
    return [...form, ...callbacks, ...derivedParameters(path, text), ...crossings];
  });

if (import.meta.main) {
  const { fileCycles, moduleCycles, backwards, barrels, ...figures } = structureOf(readSources());
  const sizes = (cycles: readonly (readonly string[])[]): string =>
    `${cycles.length}${cycles.length > 0 ? ` (of ${cycles.map(({ length }) => length).join(', ')})` : ''}`;
  console.log(`${figures.files} files, ${figures.lines} lines, median ${figures.medianLines}`);
  console.log(`under 40 lines: ${figures.under40} %, under 60: ${figures.under60} %`);
  console.log(`import cycles of files: ${sizes(fileCycles)}, of modules: ${sizes(moduleCycles)}`);
  console.log(`imports against the order of groups: ${backwards.length}`);
  console.log(`imports of a barrel within core: ${barrels.length}`);
  if (process.argv.includes('--list')) {
    for (const cycle of [...moduleCycles, ...fileCycles]) console.log(`cycle: ${cycle.join(' ')}`);
    for (const { from, to } of backwards) console.log(`backwards: ${from} -> ${to}`);
  }
}
