// Workflow tests in files beside their bundle: an event, a user and the expected simulation.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { SimulateInput, WorkflowInput } from '@beckon/core';
import { CliError, EXIT } from './exit-codes.ts';
import { isObject } from './is-object.ts';

const SUFFIX = '.test.json';
/** Default time of the event, so that tests do not depend on the date. */
const EPOCH = '2026-01-01T00:00:00.000Z';
/** Folders that are not searched. */
const SKIPPED = new Set(['node_modules', '.git']);

type Fields = Readonly<Record<string, unknown>>;
/** One test: the input of the simulation and the expected part of its result. */
export type WorkflowCase = {
  readonly name: string;
  readonly workflow: WorkflowInput;
  readonly input: SimulateInput;
  readonly expected: unknown;
};
/** A path where two values differ; `undefined`: missing. */
export type Difference = { readonly path: string; readonly expected: unknown; readonly actual: unknown };

const wrong = (file: string, what: string): CliError =>
  new CliError(EXIT.invalid, `${file}: ${what}`, { code: 'VALIDATION_ERROR' });

/** Sorted test files at these paths and in their subfolders. Throws CliError for a missing path. */
export const findTests = (cwd: string, paths: readonly string[]): string[] => {
  const below = (path: string): string[] =>
    readdirSync(resolve(cwd, path), { withFileTypes: true }).flatMap((entry) => {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : below(inner);
      // Links are skipped, because they may point outside the folder.
      return entry.isFile() && entry.name.endsWith(SUFFIX) ? [inner] : [];
    });
  const found = paths.flatMap((path) => {
    const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (!stats) throw new CliError(EXIT.negative, `${path} does not exist.`, { code: 'NOT_FOUND' });
    return stats.isDirectory() ? below(path) : [path];
  });
  return [...new Set(found)].sort();
};

/** The bundle of a test: its `bundle`, else `x.json` of `x.test.json`. Throws CliError. */
export const bundleFileOf = (file: string, test: unknown): string => {
  const named = isObject(test) ? test['bundle'] : undefined;
  if (named === undefined) return join(dirname(file), `${basename(file).slice(0, -SUFFIX.length)}.json`);
  if (typeof named !== 'string' || named === '') throw wrong(file, 'bundle must be a file name.');
  return join(dirname(file), named);
};

const workflowsIn = (bundle: unknown): readonly Fields[] => {
  const list = isObject(bundle) && Array.isArray(bundle['workflows']) ? bundle['workflows'] : [bundle];
  return list.filter(isObject);
};

/** A workflow of a bundle by name, or the only one. Throws CliError with the file name. */
export const workflowNamed = (file: string, bundle: unknown, name: unknown): WorkflowInput => {
  const all = workflowsIn(bundle);
  const found = all.filter((one) => name === undefined || one['name'] === name);
  const [workflow] = found;
  if (!workflow || found.length > 1)
    throw wrong(
      file,
      name === undefined
        ? 'workflow is missing, and the bundle has several.'
        : `the bundle has no workflow "${String(name)}".`,
    );
  // Safe: core validates the workflow.
  return workflow as WorkflowInput;
};

/** The cases of one file. Throws CliError for an invalid test. */
export const casesOf = (file: string, test: unknown, bundle: unknown): WorkflowCase[] => {
  if (!isObject(test)) throw wrong(file, 'the test must be an object.');
  const { cases, bundle: _bundle, ...shared } = test;
  if (cases !== undefined && !(Array.isArray(cases) && cases.length > 0))
    throw wrong(file, 'cases must be an array with at least one case.');
  const all: readonly unknown[] = cases ?? [{}];
  return all.map((one, index) => {
    if (!isObject(one)) throw wrong(file, `cases.${index} must be an object.`);
    const { name = `case ${index + 1}`, workflow, expect: expected, ...input } = { ...shared, ...one };
    if (!isObject(expected)) throw wrong(file, `${cases ? `cases.${index}.` : ''}expect must be an object.`);
    // Safe: core validates the input.
    const simulated = { now: EPOCH, ...input } as unknown as SimulateInput;
    return { name: String(name), workflow: workflowNamed(file, bundle, workflow), input: simulated, expected };
  });
};

const joined = (path: string, key: string | number): string => (path === '' ? String(key) : `${path}.${key}`);

/**
 * Differences between expected and actual values: expected keys of objects, all items of arrays. An expected null matches
 * null and missing. Throws nothing.
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
