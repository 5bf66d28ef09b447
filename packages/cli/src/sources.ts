import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isObject } from './is-object.ts';
import { jsonProblem, problemText } from './json-text.ts';
import { type Given, KEYS, type Key, knownKey, variableOf } from './settings.ts';
import { didYouMean } from './suggest.ts';

const PREFIX = 'BECKON_';
/**
 * Names with our prefix that are nobody's mistake: of tests and benches, of client programs (`keys create -o env`),
 * and what Kubernetes and Docker set for a service called beckon.
 */
const FOREIGN = /^BECKON_(TEST_.*|BENCH_.*|((PROD|TEST)_(PUBLIC|SECRET)|API)_KEY|SERVICE_.*|PORT_\d+_.*|NAME|ENV_.*)$/;
/** Permission bits that let anybody but the owner read or write. */
const OTHERS = 0o077;

const keysByVariable: ReadonlyMap<string, Key> = new Map(KEYS.map((key) => [variableOf(key), key]));

/** What one source says: the values, and for each the folder that relative paths are meant from. */
export type Source = ReadonlyMap<Key, Given & { readonly folder: string }>;

/** True when somebody besides the owner may read the file. Never on Windows, whose modes say nothing. */
export const isReadableByOthers = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0;

// Docker links set BECKON_PORT=tcp://10.0.0.1:8080 for a service called beckon.
const isLink = (name: string, value: string): boolean => name === 'BECKON_PORT' && value.startsWith('tcp://');

const fromVariables = (
  variables: Readonly<Record<string, string | undefined>>,
  where: string,
  folder: string,
  problems: string[],
): { direct: Source; byFile: Source } => {
  const direct = new Map<Key, Given & { folder: string }>();
  const byFile = new Map<Key, Given & { folder: string }>();
  for (const [name, value] of Object.entries(variables)) {
    // An empty variable is how compose files spell "not set".
    if (!name.startsWith(PREFIX) || !value || FOREIGN.test(name) || isLink(name, value)) continue;
    const from = where === '' ? name : `${name} in ${where}`;
    const key = keysByVariable.get(name);
    const pointed = name.endsWith('_FILE') ? keysByVariable.get(name.slice(0, -'_FILE'.length)) : undefined;
    if (key) direct.set(key, { value, from, folder });
    else if (pointed) {
      const path = resolve(folder, value);
      try {
        byFile.set(pointed, { value: readFileSync(path, 'utf8').trim(), from: `the file of ${from}`, folder });
      } catch {
        problems.push(`${from} names a file that cannot be read`);
      }
    } else problems.push(`${from} is not known${didYouMean(name, [...keysByVariable.keys()])}`);
  }
  return { direct, byFile };
};

/** Levels 2 and 3: the variables of the environment, then those that name a file. */
export const environmentSources = (
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  problems: string[],
): Source[] => {
  const { direct, byFile } = fromVariables(env, '', cwd, problems);
  return [direct, byFile];
};

/** Level 4: `.env` of the working directory. One that says nothing to us is not looked at any closer. */
export const dotEnvSources = (cwd: string, problems: string[]): Source[] => {
  const path = join(cwd, '.env');
  if (!existsSync(path)) return [];
  const variables: Record<string, string | undefined> = parseEnv(readFileSync(path, 'utf8'));
  if (!Object.keys(variables).some((name) => name.startsWith(PREFIX))) return [];
  if (isReadableByOthers(path)) {
    problems.push('.env can be read by others: chmod 600 .env');
    return [];
  }
  const { direct, byFile } = fromVariables(variables, '.env', cwd, problems);
  return [direct, byFile];
};

const flattened = (object: Record<string, unknown>, prefix = ''): [string, unknown][] =>
  Object.entries(object).flatMap(([name, value]): [string, unknown][] =>
    isObject(value) && KEYS.some((key) => key.startsWith(`${prefix}${name}.`))
      ? flattened(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value]],
  );

/** Keys whose values go into no file that is shared. */
const SECRET: readonly Key[] = ['masterKey', 'ai.shared.key'];

/** Level 5: a configuration file. `$schema` may stand in it; the master key and other secrets may not. */
export const fileSource = (path: string, problems: string[]): Source => {
  const found = new Map<Key, Given & { folder: string }>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    problems.push(`${path} cannot be read`);
    return found;
  }
  const problem = jsonProblem(text);
  if (problem !== null) {
    problems.push(`${path} is not valid JSON: ${problemText(problem)}`);
    return found;
  }
  const content: unknown = JSON.parse(text);
  if (!isObject(content)) {
    problems.push(`${path} must hold one JSON object`);
    return found;
  }
  for (const [name, value] of flattened(content)) {
    if (name === '$schema') continue;
    const key = knownKey(name);
    const from = `${name} in ${path}`;
    if (key && SECRET.includes(key))
      problems.push(`${from} must not stand in a file like this: set ${variableOf(key)} instead`);
    else if (key) found.set(key, { value, from, folder: dirname(path) });
    else problems.push(`${from} is not known${didYouMean(name, KEYS)}`);
  }
  return found;
};
