// Tests of workflows as files beside their bundle: an event, a person and what a simulation is expected to say.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { SimulateInput, WorkflowInput } from '@beckon/core';
import { CliError, EXIT } from './exit-codes.ts';
import { isObject } from './is-object.ts';

const SUFFIX = '.test.json';
/** When an event comes of which nobody says it: a test says the same every day. */
const EPOCH = '2026-01-01T00:00:00.000Z';
/** Folders that hold others' files. */
const SKIPPED = new Set(['node_modules', '.git']);

type Fields = Readonly<Record<string, unknown>>;
/** One test: what is simulated, and what of its answer has to be so. */
export type WorkflowCase = {
  readonly name: string;
  readonly workflow: WorkflowInput;
  readonly input: SimulateInput;
  readonly expected: unknown;
};
/** One place where two values differ; `undefined`: it is not there. */
export type Difference = { readonly path: string; readonly expected: unknown; readonly actual: unknown };

const wrong = (file: string, what: string): CliError =>
  new CliError(EXIT.invalid, `${file}: ${what}`, { code: 'VALIDATION_ERROR' });

/** Files of tests at these paths, those in folders below among them, by name. Throws CliError for a path that is not there. */
export const findTests = (cwd: string, paths: readonly string[]): string[] => {
  const below = (path: string): string[] =>
    readdirSync(resolve(cwd, path), { withFileTypes: true }).flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : below(inner);
      // A link may lead anywhere: only files of the folder itself are tests.
      return entry.isFile() && entry.name.endsWith(SUFFIX) ? [inner] : [];
    });
  const found = paths.flatMap((path) => {
    const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (!stats) throw new CliError(EXIT.negative, `${path} is not there.`, { code: 'NOT_FOUND' });
    return stats.isDirectory() ? below(path) : [path];
  });
  return [...new Set(found)].sort();
};

/** The file that a test's workflows are in: the one that it names, else `x.json` of `x.test.json`. Throws CliError. */
export const bundleFileOf = (file: string, test: unknown): string => {
  const named = isObject(test) ? test['bundle'] : undefined;
  if (named === undefined) return join(dirname(file), `${basename(file).slice(0, -SUFFIX.length)}.json`);
  if (typeof named !== 'string' || named === '') throw wrong(file, 'bundle is the name of a file.');
  return join(dirname(file), named);
};

const workflowsIn = (bundle: unknown): readonly Fields[] => {
  const list = isObject(bundle) && Array.isArray(bundle['workflows']) ? bundle['workflows'] : [bundle];
  return list.filter(isObject);
};

/** The workflow of that name in a bundle, or the only one. Throws CliError, which names the file. */
export const workflowNamed = (file: string, bundle: unknown, name: unknown): WorkflowInput => {
  const all = workflowsIn(bundle);
  const found = all.filter((one) => name === undefined || one['name'] === name);
  const [workflow] = found;
  if (!workflow || found.length > 1)
    throw wrong(
      file,
      name === undefined
        ? 'workflow is needed: the bundle holds several.'
        : `the bundle has no workflow ${String(name)}.`,
    );
  // Safe: the simulation itself checks every part of it.
  return workflow as WorkflowInput;
};

/** The cases of one file. Throws CliError for what is none. */
export const casesOf = (file: string, test: unknown, bundle: unknown): WorkflowCase[] => {
  if (!isObject(test)) throw wrong(file, 'a test is an object.');
  const { cases, bundle: _bundle, ...shared } = test;
  if (cases !== undefined && !(Array.isArray(cases) && cases.length > 0))
    throw wrong(file, 'cases is a list of one or more.');
  const all: readonly unknown[] = cases ?? [{}];
  return all.map((one, index) => {
    if (!isObject(one)) throw wrong(file, `cases.${index} is an object.`);
    const { name = `case ${index + 1}`, workflow, expect: expected, ...input } = { ...shared, ...one };
    if (!isObject(expected)) throw wrong(file, `${cases ? `cases.${index}.` : ''}expect is an object.`);
    // Safe: as the workflow.
    const given = { now: EPOCH, ...input } as unknown as SimulateInput;
    return { name: String(name), workflow: workflowNamed(file, bundle, workflow), input: given, expected };
  });
};

const joined = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

/**
 * Where a value is not as expected: of objects the members that are named, of lists every item. Null is what is null or not
 * there. Throws nothing.
 */
export const differences = (expected: unknown, actual: unknown, path = ''): Difference[] => {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const most = Math.max(expected.length, actual.length);
    return Array.from({ length: most }, (_, index) => index).flatMap((index): Difference[] => {
      const at = joined(path, index);
      if (index >= expected.length) return [{ path: at, expected: undefined, actual: actual[index] }];
      return differences(expected[index], actual[index], at);
    });
  }
  if (isObject(expected) && isObject(actual))
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(value, Object.hasOwn(actual, key) ? actual[key] : undefined, joined(path, key)),
    );
  const isSame = expected === actual || (expected === null && actual === undefined);
  return isSame ? [] : [{ path, expected, actual }];
};
