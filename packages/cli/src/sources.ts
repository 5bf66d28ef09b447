import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isObject } from './is-object.ts';
import { jsonProblem, problemText } from './json-text.ts';
import { KEYS, type Key, knownKey, type RawSetting, variableOf } from './settings.ts';
import { didYouMean } from './suggest.ts';

const PREFIX = 'BECKON_';
/**
 * Variables with the prefix that are not configuration: of tests and benchmarks, of client programs (`keys create -o env`),
 * and those that Kubernetes and Docker set for a service named beckon.
 */
const FOREIGN = /^BECKON_(TEST_.*|BENCH_.*|((PROD|TEST)_(PUBLIC|SECRET)|API)_KEY|SERVICE_.*|PORT_\d+_.*|NAME|ENV_.*)$/;
/** Permission bits of group and others. */
const OTHERS = 0o077;

const keysByVariable: ReadonlyMap<string, Key> = new Map(KEYS.map((key) => [variableOf(key), key]));

/** Values of one source, each with the base folder of relative paths. */
export type Source = ReadonlyMap<Key, RawSetting & { readonly folder: string }>;

/** True if group or others have permissions on the file. Always false on Windows, which has no such modes. */
export const isReadableByOthers = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0;

// Docker links set BECKON_PORT=tcp://10.0.0.1:8080 for a service named beckon.
const isLink = (name: string, value: string): boolean => name === 'BECKON_PORT' && value.startsWith('tcp://');

const fromVariables = (
  variables: Readonly<Record<string, string | undefined>>,
  where: string,
  folder: string,
  problems: string[],
): { direct: Source; byFile: Source } => {
  const direct = new Map<Key, RawSetting & { folder: string }>();
  const byFile = new Map<Key, RawSetting & { folder: string }>();
  for (const [name, value] of Object.entries(variables)) {
    // Compose files write an unset variable as empty.
    if (!name.startsWith(PREFIX) || !value || FOREIGN.test(name) || isLink(name, value)) continue;
    const from = where === '' ? name : `${name} in ${where}`;
    const key = keysByVariable.get(name);
    const fileKey = name.endsWith('_FILE') ? keysByVariable.get(name.slice(0, -'_FILE'.length)) : undefined;
    if (key) direct.set(key, { value, from, folder });
    else if (fileKey) {
      const path = resolve(folder, value);
      try {
        byFile.set(fileKey, { value: readFileSync(path, 'utf8').trim(), from: `the file in ${from}`, folder });
      } catch {
        problems.push(`${from}: cannot read the file`);
      }
    } else problems.push(`unknown variable ${from}${didYouMean(name, [...keysByVariable.keys()])}`);
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

/** Level 4: `.env` of the working directory. A file without variables of Beckon is ignored. */
export const dotEnvSources = (cwd: string, problems: string[]): Source[] => {
  const path = join(cwd, '.env');
  if (!existsSync(path)) return [];
  const variables: Record<string, string | undefined> = parseEnv(readFileSync(path, 'utf8'));
  if (!Object.keys(variables).some((name) => name.startsWith(PREFIX))) return [];
  if (isReadableByOthers(path)) {
    problems.push('.env is readable by others. Run: chmod 600 .env');
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

/** Secret keys, which are not allowed in the configuration file. */
const SECRET: readonly Key[] = ['masterKey', 'ai.shared.key'];

/** Level 5: a configuration file. `$schema` is allowed; the master key and other secrets are not. */
export const fileSource = (path: string, problems: string[]): Source => {
  const found = new Map<Key, RawSetting & { folder: string }>();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    problems.push(`cannot read ${path}`);
    return found;
  }
  const problem = jsonProblem(text);
  if (problem !== null) {
    problems.push(`${path} is not valid JSON: ${problemText(problem)}`);
    return found;
  }
  const content: unknown = JSON.parse(text);
  if (!isObject(content)) {
    problems.push(`${path} must contain a JSON object`);
    return found;
  }
  for (const [name, value] of flattened(content)) {
    if (name === '$schema') continue;
    const key = knownKey(name);
    const from = `${name} in ${path}`;
    if (key && SECRET.includes(key))
      problems.push(`${from} is a secret and not allowed there. Set ${variableOf(key)} instead`);
    else if (key) found.set(key, { value, from, folder: dirname(path) });
    else problems.push(`unknown key ${from}${didYouMean(name, KEYS)}`);
  }
  return found;
};
