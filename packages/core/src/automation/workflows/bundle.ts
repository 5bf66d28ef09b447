import { sha256Hex, stableJson } from '../../foundation/hash.ts';
import { isObject } from '../../foundation/json.ts';
import type { StoredStep } from '../runs/cursor.ts';
import type { StepCatalog } from '../runs/steps/catalog.ts';
import { type KeyOrder, NO_ORDER } from '../runs/steps/key-order.ts';
import { type Step, stepTypes } from '../runs/steps/list.ts';
import type { BundleExport, ImportExtent } from './api.ts';
import { BUNDLE_VERSION, type Trigger, type Workflow } from './schema.ts';

// The schema's key order, which databases do not keep: jsonb sorts keys by length.
const STEP_KEYS = ['type', 'config', 'delayMinutes'] as const satisfies readonly (keyof Step)[];
const TRIGGER_KEYS = ['eventType', 'filters', 'audienceId'] as const satisfies readonly (keyof Trigger)[];

const keysOnly = (keys: readonly string[]): KeyOrder => ({ ...NO_ORDER, keys });
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const sorted = (value: unknown, order: KeyOrder = NO_ORDER): unknown => {
  if (Array.isArray(value)) return value.map((item) => sorted(item, order));
  return isObject(value) ? inOrder(order, value) : value;
};

/** Members of an object: known keys in schema order, then the others by name, recursively. */
const inOrder = ({ keys, within }: KeyOrder, object: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const known = keys.filter((key) => Object.hasOwn(object, key));
  const others = Object.keys(object).filter((key) => !keys.includes(key));
  return Object.fromEntries(
    [...known, ...others.sort(byText)].flatMap((key) =>
      object[key] === undefined ? [] : [[key, sorted(object[key], within.get(key))]],
    ),
  );
};

/** Sets the value at an existing path of names and indexes. */
const putAt = (into: Record<string, unknown>, at: string, value: unknown): void => {
  const names = at.split('.');
  const last = names.pop() ?? '';
  // Safe: the catalog found the list under this path in the object of which this is a copy.
  const parent = names.reduce<Record<string, unknown>>((inner, name) => inner[name] as Record<string, unknown>, into);
  parent[last] = value;
};

/** Creates a function that orders the keys of a step and of the steps within it. */
export const stepOrder = ({ configOrder, armsOf }: Pick<StepCatalog, 'configOrder' | 'armsOf'>) => {
  const ordered = <Given extends StoredStep>(step: Given): Given => {
    const config = inOrder(configOrder(step.type), step.config);
    for (const { at, steps } of armsOf(step)) putAt(config, at, steps.map(ordered));
    // Safe: the same members in another order. A step type of a newer program has no key order here.
    return { ...inOrder(keysOnly(STEP_KEYS), step), config } as unknown as Given;
  };
  return ordered;
};
const orderedStep = stepOrder(stepTypes);

/**
 * A definition with keys in schema order and those of free-form objects by name, so that equal definitions print alike
 * from both databases. Throws nothing.
 */
export const orderedWorkflow = ({ name, description, trigger, steps, isActive }: Workflow): Workflow => ({
  name,
  description,
  // Safe: the same members in another order.
  trigger: inOrder(keysOnly(TRIGGER_KEYS), trigger) as Trigger,
  steps: steps.map((step) => orderedStep(step)),
  isActive,
});

/** Ordered definitions by name (UTF-16 code units). Names are distinct in a project. Throws nothing. */
export const orderedWorkflows = (workflows: readonly Workflow[]): Workflow[] =>
  workflows.map(orderedWorkflow).sort((a, b) => byText(a.name, b.name));

/** SHA-256 in hex of the definitions, independent of their order and key order. Throws nothing. */
export const etagOf = (workflows: readonly Workflow[]): string => sha256Hex(stableJson(orderedWorkflows(workflows)));

/** Creates a bundle. Throws nothing. */
export const bundleOf = (workflows: readonly Workflow[], exportedAt: Date): BundleExport['bundle'] => ({
  version: BUNDLE_VERSION,
  exportedAt: exportedAt.toISOString(),
  workflows: orderedWorkflows(workflows),
});

// `steps.0.config.set.plan`: below this depth values are compared as a whole, because a path per leaf could be longer
// than the bundle.
const MAX_PATH_NAMES = 5;

const isEqual = (a: unknown, b: unknown): boolean => a === b || stableJson(a) === stableJson(b);

function* changedPaths(current: unknown, next: unknown, path: readonly string[]): Generator<string> {
  if (isEqual(current, next)) return;
  const areArrays = Array.isArray(current) && Array.isArray(next);
  if (path.length === MAX_PATH_NAMES || !(areArrays || (isObject(current) && isObject(next)))) {
    yield path.join('.');
    return;
  }
  // Safe: both are objects or both are arrays; the own keys of an array are its indexes.
  const [a, b] = [current, next] as readonly Readonly<Record<string, unknown>>[];
  for (const key of new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]))
    yield* changedPaths(a?.[key], b?.[key], [...path, key]);
}

/**
 * Paths at which two definitions of one name differ, such as `trigger.filters.plan`, `steps.2` (added or removed) or
 * `steps.0.config.subject`, in schema order; empty if equal. Throws nothing.
 */
export const diffWorkflow = (current: Workflow, next: Workflow): string[] => [
  ...changedPaths(orderedWorkflow(current), orderedWorkflow(next), []),
];

/** Effect of importing `next` over the stored definitions. */
export type ImportPlan<Stored extends Workflow> = {
  readonly created: readonly Workflow[];
  readonly updated: readonly {
    readonly current: Stored;
    readonly next: Workflow;
    readonly changes: readonly string[];
  }[];
  readonly unchanged: readonly Stored[];
  /** Names that `only` excluded. */
  readonly skipped: readonly string[];
};

/**
 * Compares a bundle's definitions with the stored ones by name. Lists are in the order of the bundle, pruned ones last.
 * Throws nothing.
 */
export const planImport = <Stored extends Workflow>(
  stored: readonly Stored[],
  next: readonly Workflow[],
  { only, prune = false }: ImportExtent = {},
): ImportPlan<Stored> => {
  const byName = new Map(stored.map((workflow) => [workflow.name, workflow]));
  const created: Workflow[] = [];
  const updated: { current: Stored; next: Workflow; changes: string[] }[] = [];
  const unchanged: Stored[] = [];
  const skipped: string[] = [];
  for (const workflow of next.map(orderedWorkflow)) {
    const current = byName.get(workflow.name);
    if (!current) {
      if (only === 'update') skipped.push(workflow.name);
      else created.push(workflow);
      continue;
    }
    const changes = diffWorkflow(current, workflow);
    if (changes.length === 0) unchanged.push(current);
    else if (only === 'create') skipped.push(workflow.name);
    else updated.push({ current, next: workflow, changes });
  }
  if (prune) {
    const named = new Set(next.map(({ name }) => name));
    for (const current of stored)
      if (current.isActive && !named.has(current.name))
        updated.push({ current, next: { ...orderedWorkflow(current), isActive: false }, changes: ['isActive'] });
  }
  return { created, updated, unchanged, skipped };
};
