// Private words of the code, and the field's terms for them. `node scripts/plain-words.ts` counts the identifiers and
// file names that still have one, and prints the exceptions; `--list` shows where. The count may only fall:
// plain-words.test.ts.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { parseSync, visitorKeys } from 'oxc-parser';

/** Words of an identifier, in lower case, and what to write instead. Several words stand for a sequence. */
export const REPLACEMENTS: Readonly<Record<string, string>> = {
  behind: 'downstream',
  along: 'commit hook',
  apart: 'outsideTransaction',
  aside: 'readOnlyConnection',
  'set off': 'triggered',
  leaving: 'unsubscribe tokens',
  told: 'reported',
  untold: 'unreported',
  tell: 'publish, notify',
  news: 'notification',
  given: 'input',
  asked: 'requested',
  wanted: 'requested',
  turns: 'round robin, query slots',
  places: 'permits',
  dark: 'outage',
  covered: 'hasFallback',
  lane: 'priority',
  still: 'precondition',
  together: 'fused',
  taken: 'reserved',
  gone: 'delivery result',
  said: 'evidence',
  saw: 'evidence',
  heard: 'hasSubscribers',
  announcer: 'webhook publisher',
  teller: 'webhook publisher',
  standing: 'bucket state',
  wide: 'bulk',
  worn: 'overclaimed',
  bell: 'wake signal',
  alarm: 'wake signal',
  'let go': 'releaseLease',
  'give up': 'deadLetter',
  park: 'hold',
  unpark: 'resume',
  toll: 'rate cost',
  pace: 'claim throttle',
  doubted: 'suspect',
  born: 'created terminal',
  adoption: 'local handoff',
  differing: 'membership diff',
  absorb: 'mergeInto',
  strain: 'load',
  judge: 'evaluate',
  settle: 'finalize',
  owed: 'unsynced',
  tellings: 'deltas',
  upkeep: 'maintenance',
  skim: 'pre-scan',
  mend: 'fix',
  room: 'module',
  circle: 'import cycle',
  upkeeps: 'maintenance',
};

/** Names in which a listed word is ordinary: where they are, and why. `*` stands for any file. */
export const EXCEPTIONS: readonly { readonly path: string; readonly name: string; readonly reason: string }[] = [
  { path: 'packages/http/src/openapi/examples.ts', name: 'news', reason: 'a category of messages in an example body' },
  { path: 'packages/core/src/webhooks/post.ts', name: 'isGone', reason: 'the HTTP status 410 Gone' },
  { path: 'packages/core/src/webhooks/deliver/outcome.ts', name: 'isGone', reason: 'the HTTP status 410 Gone' },
  { path: 'packages/core/src/webhooks/deliver/dispatch.ts', name: 'gone', reason: 'the HTTP status 410 Gone' },
];

const wordsOf = (identifier: string): string[] =>
  identifier
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());

const PHRASES = Object.keys(REPLACEMENTS).map((phrase) => [phrase, phrase.split(' ')] as const);

/** The private words of an identifier. Throws nothing. */
export const privateWordsOf = (identifier: string): string[] => {
  const words = wordsOf(identifier);
  return PHRASES.filter(([, phrase]) =>
    words.some((_, at) => phrase.every((word, offset) => words[at + offset] === word)),
  ).map(([phrase]) => phrase);
};

type Node = { readonly type: string; readonly [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const visit = (value: unknown, act: (node: Node) => void): void => {
  if (Array.isArray(value)) for (const item of value) visit(item, act);
  if (!isNode(value)) return;
  act(value);
  for (const key of visitorKeys[value.type] ?? []) visit(value[key], act);
};

/** Every name that a source declares: variables, parameters, functions, types and properties. Throws for a syntax error. */
export const declaredNames = (path: string, text: string): string[] => {
  const names: string[] = [];
  const add = (node: unknown): void => {
    if (isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string') names.push(node['name']);
  };
  visit(parseSync(path, text).program, (node) => {
    const { type } = node;
    if (type === 'VariableDeclarator' || type === 'FunctionDeclaration' || type.startsWith('TSTypeAlias'))
      add(node['id']);
    if (type === 'TSPropertySignature' || type === 'TSMethodSignature') add(node['key']);
    if (type === 'Property') {
      add(node['key']);
      add(node['value']);
    }
    if (type === 'ArrowFunctionExpression' || type === 'FunctionDeclaration') {
      const parameters = node['params'];
      if (Array.isArray(parameters)) for (const parameter of parameters) add(parameter);
    }
  });
  return names;
};

const isException = (path: string, name: string): boolean =>
  EXCEPTIONS.some((exception) => exception.name === name && (exception.path === '*' || exception.path === path));

/** Where production code of the packages declares a private word, except `EXCEPTIONS`: each name once per file. */
export const findPrivateWords = (): { readonly word: string; readonly path: string; readonly name: string }[] => {
  const paths = globSync('packages/*/src/**/*.ts').filter(
    (path) => !/\.test\.ts$|\/testing\/|\/generated\/|\.generated\.ts$/.test(path),
  );
  return paths.toSorted().flatMap((path) => {
    const names = new Set([basename(path, '.ts'), ...declaredNames(path, readFileSync(path, 'utf8'))]);
    return [...names]
      .filter((name) => !isException(path, name))
      .flatMap((name) => privateWordsOf(name).map((word) => ({ word, path, name })));
  });
};

if (import.meta.main) {
  const found = findPrivateWords();
  const byWord = [...Map.groupBy(found, ({ word }) => word)].toSorted(([, a], [, b]) => b.length - a.length);
  for (const [word, names] of byWord) console.log(`${word} (${REPLACEMENTS[word]}): ${names.length}`);
  if (process.argv.includes('--list'))
    for (const { word, path, name } of found) console.log(`${path}: ${name} (${word})`);
  for (const { path, name, reason } of EXCEPTIONS) console.log(`exception: ${path}: ${name} (${reason})`);
  console.log(`${found.length} names with a private word`);
}
