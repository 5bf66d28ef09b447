import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forkTypes } from '../../../test/support/runs/steps/fork.ts';
import { bundles, workflowOf } from '../../../test/support/workflows/bundles.ts';
import { bundleOf, diffWorkflow, etagOf, orderedWorkflows, planImport, stepOrder } from './bundle.ts';
import { parseBundle, type Workflow } from './schema.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
};
const email = (config: Record<string, unknown>): Workflow =>
  parseBundle({
    version: 1,
    exportedAt: '',
    workflows: [workflowOf({ steps: [{ type: 'send_email', config: { text: 'hi', ...config } }] })],
  }).workflows[0] ?? workflowOf();

describe('bundleOf', () => {
  it('bundleOf sorts workflows by name and keys in schema order', () => {
    const second: Workflow = {
      isActive: false,
      steps: [
        { delayMinutes: 5, config: { text: 'b', headers: { z: '1', a: '2' }, subject: 'a' }, type: 'send_email' },
      ],
      trigger: { filters: { plan: 'free', city: 'Ulm' }, eventType: 'e' },
      description: null,
      name: 'b',
    };
    const at = new Date('2026-11-20T10:00:00.000Z');
    expect(JSON.stringify(bundleOf([second, workflowOf({ name: 'a' }), workflowOf({ name: 'B' })], at))).toBe(
      '{"version":1,"exportedAt":"2026-11-20T10:00:00.000Z","workflows":[' +
        '{"name":"B","description":null,"trigger":{"eventType":"user.signed_up"},"steps":[],"isActive":true},' +
        '{"name":"a","description":null,"trigger":{"eventType":"user.signed_up"},"steps":[],"isActive":true},' +
        '{"name":"b","description":null,"trigger":{"eventType":"e","filters":{"city":"Ulm","plan":"free"}},' +
        '"steps":[{"type":"send_email","config":{"subject":"a","text":"b","headers":{"a":"2","z":"1"}},' +
        '"delayMinutes":5}],"isActive":false}]}',
    );
  });

  it('bundleOf prints the same text for any order of keys and workflows', () => {
    fc.assert(
      fc.property(bundles, ({ workflows }) => {
        const other = (shuffled(workflows) as Workflow[]).toReversed();
        expect(JSON.stringify(orderedWorkflows(other))).toBe(JSON.stringify(orderedWorkflows(workflows)));
        expect(etagOf(other)).toBe(etagOf(workflows));
      }),
    );
  });

  it('a bundle contains its input and can be parsed', () => {
    fc.assert(
      fc.property(bundles, ({ workflows }) => {
        const read = parseBundle(JSON.parse(JSON.stringify(bundleOf(workflows, new Date(0)))));
        expect(planImport(workflows, read.workflows).unchanged).toHaveLength(workflows.length);
      }),
    );
  });
});

describe('etagOf', () => {
  it('etagOf is a SHA-256 in hex that changes with any difference', () => {
    const base = [workflowOf()];
    expect(etagOf(base)).toMatch(/^[0-9a-f]{64}$/);
    expect(etagOf([workflowOf({ isActive: false })])).not.toBe(etagOf(base));
    expect(etagOf([])).not.toBe(etagOf(base));
  });
});

describe('diffWorkflow', () => {
  it('diffWorkflow is empty for equal definitions', () => {
    fc.assert(
      fc.property(bundles, ({ workflows }) => {
        for (const workflow of workflows) expect(diffWorkflow(workflow, shuffled(workflow) as Workflow)).toEqual([]);
      }),
    );
  });

  it('diffWorkflow lists every difference in schema order', () => {
    const current = workflowOf({
      trigger: { eventType: 'a', filters: { plan: 'free', city: 'Ulm' } },
      steps: [{ type: 'wait', config: { minutes: 5 } }],
    });
    const next = workflowOf({
      description: 'text',
      isActive: false,
      trigger: { eventType: 'a', filters: { plan: 'pro' } },
      steps: [
        { type: 'wait', config: { minutes: 5 }, delayMinutes: 120 },
        { type: 'wait', config: { minutes: 1 } },
      ],
    });
    const changes = ['description', 'trigger.filters.city', 'trigger.filters.plan', 'steps.0.delayMinutes', 'steps.1'];
    expect(diffWorkflow(current, next)).toEqual([...changes, 'isActive']);
    expect(diffWorkflow(next, current).toSorted()).toEqual([...changes, 'isActive'].toSorted());
  });

  it('diffWorkflow names a field of a config, and a free-form value as a whole', () => {
    expect(diffWorkflow(email({ subject: 'a' }), email({ subject: 'b', from: 'x@example.com' }))).toEqual([
      'steps.0.config.subject',
      'steps.0.config.from',
    ]);
    const set = (value: unknown) =>
      workflowOf({ steps: [{ type: 'update_profile', config: { set: { plan: value as never } } }] });
    expect(diffWorkflow(set({ deep: { er: 1 } }), set({ deep: { er: 2 } }))).toEqual(['steps.0.config.set.plan']);
  });
});

describe('planImport', () => {
  it('planImport creates new names, updates changed ones and leaves others unchanged', () => {
    const stored = ['a', 'b', 'c'].map((name) => ({ ...workflowOf({ name }), id: `id-${name}` }));
    const next = [workflowOf({ name: 'd' }), workflowOf({ name: 'b', isActive: false }), workflowOf({ name: 'a' })];
    const plan = planImport(stored, next);
    expect(plan.created.map(({ name }) => name)).toEqual(['d']);
    expect(plan.updated.map(({ current, changes }) => [current.id, changes])).toEqual([['id-b', ['isActive']]]);
    expect(plan.unchanged.map(({ id }) => id)).toEqual(['id-a']);
  });

  it('planImport with only skips and names the other kind', () => {
    const stored = ['a', 'b'].map((name) => workflowOf({ name }));
    const next = [workflowOf({ name: 'a', isActive: false }), workflowOf({ name: 'b' }), workflowOf({ name: 'c' })];
    const planned = (only: 'create' | 'update') => {
      const { created, updated, unchanged, skipped } = planImport(stored, next, { only });
      const names = (all: readonly Workflow[]) => all.map(({ name }) => name);
      return [names(created), names(updated.map(({ next: to }) => to)), names(unchanged), skipped];
    };
    expect(planned('create')).toEqual([['c'], [], ['b'], ['a']]);
    expect(planned('update')).toEqual([[], ['a'], ['b'], ['c']]);
  });

  it('planImport with prune deactivates active workflows that are not in the bundle', () => {
    const stored = [workflowOf({ name: 'a' }), workflowOf({ name: 'b' }), workflowOf({ name: 'c', isActive: false })];
    const { updated } = planImport(stored, [workflowOf({ name: 'a' })], { prune: true });
    expect(updated).toEqual([{ current: stored[1], next: { ...stored[1], isActive: false }, changes: ['isActive'] }]);
  });
});

describe('stepOrder', () => {
  it('stepOrder orders the keys of a step with arms and of its nested steps', () => {
    const step = {
      delayMinutes: 1,
      config: {
        else: { steps: [{ config: { text: 'x', name: 'n' }, type: 'say' }] },
        ways: [{ steps: [{ delayMinutes: 2, config: { text: 'y' }, type: 'say' }], name: 'w' }],
        take: 'w',
      },
      type: 'fork',
    };
    expect(JSON.stringify(stepOrder(forkTypes)(step))).toBe(
      '{"type":"fork","config":{"take":"w",' +
        '"ways":[{"name":"w","steps":[{"type":"say","config":{"text":"y"},"delayMinutes":2}]}],' +
        '"else":{"steps":[{"type":"say","config":{"name":"n","text":"x"}}]}},"delayMinutes":1}',
    );
    expect(step.config.else.steps[0]).toEqual({ config: { text: 'x', name: 'n' }, type: 'say' });
  });
});
