import type { Mutant } from '../../../test/mutant.ts';

const tests = ['packages/core/src/webhooks/'];
const DELIVER: readonly Mutant[] = [
  {
    says: 'what is pulled is not posted',
    file: 'announce.ts',
    find: 'dueAt: isPulled ? null : event.at,',
    replace: 'dueAt: event.at,',
  },
  {
    says: 'who was given something does not wait behind others',
    file: 'store.ts',
    find: 'counted.some(({ id }) => !given.has(id))',
    replace: 'counted.length > 0',
  },
  {
    says: 'behind what was not looked at there may be anybody',
    file: 'store.ts',
    find: 'looked >= most || ',
    replace: '',
  },
  {
    says: 'a delivery is of one webhook',
    file: 'announce.ts',
    find: '`webhooks/${webhookId}`',
    replace: "'webhooks'",
  },
  {
    says: 'identify calls alone are announced by ingest',
    file: 'identified.ts',
    find: "if (item.kind !== 'identify') continue;",
    replace: '',
  },
  {
    says: 'a duplicate is told once',
    file: 'identified.ts',
    find: 'of freshEntries(draft)',
    replace: 'of draft.entries',
  },
  {
    says: 'a webhook that is off is told nothing more',
    file: 'dispatch.ts',
    find: 'if (receiver?.isActive) return',
    replace: 'if (receiver) return',
  },
  {
    says: 'a webhook whose secrets cannot be read says nothing of the others',
    file: 'receivers.ts',
    find: 'return { ok: false, error };',
    replace: 'throw error;',
  },
  {
    says: 'webhooks that are asked for in one turn are read together',
    file: 'receivers.ts',
    find: 'keys.map(({ scopeId, id }) => [scopeId, id]),',
    replace: 'keys.slice(0, 1).map(({ scopeId, id }) => [scopeId, id]),',
  },
  {
    says: 'one look at a webhook serves for a moment',
    file: 'receivers.ts',
    find: 'maxAgeMs: MAX_AGE_MS,',
    replace: 'maxAgeMs: 60_000,',
  },
  {
    says: 'a webhook that was changed is looked at anew',
    file: 'receivers.ts',
    find: 'forget: looks.clear,',
    replace: 'forget: () => undefined,',
  },
  {
    says: 'a webhook of which something was written is looked at anew',
    file: 'dispatch.ts',
    find: 'if (said.length > 0) receivers.forget();',
    replace: '',
  },
  {
    says: 'what was taken ends the failing',
    file: 'dispatch.ts',
    find: 'isTaken === (failingSince !== null)',
    replace: '!isTaken && failingSince === null',
  },
  {
    says: 'what a webhook was switched off for is forgotten by this process at once',
    file: 'dispatch.ts',
    find: "if (receiver === 'gone' || receiver === 'failing') deps.onDisabled(row);",
    replace: ';',
  },
  {
    says: '410 switches off',
    file: 'settled.ts',
    find: "if (isGone) return 'gone';",
    replace: '',
  },
  {
    says: '120 hours of failures switch off',
    file: 'settled.ts',
    find: 'const FAILING_MS = 120 * 3_600_000;',
    replace: 'const FAILING_MS = 121 * 3_600_000;',
  },
  {
    says: '30 attempts are remembered',
    file: 'settled.ts',
    find: '.slice(-MAX_KEPT)',
    replace: '',
  },
  {
    says: 'only the first attempt of a replay is by hand',
    file: 'settled.ts',
    find: "dueAt, trigger: 'schedule' } as const",
    replace: 'dueAt, trigger: row.trigger } as const',
  },
  {
    says: 'what was erased since it was claimed is not posted',
    file: 'dispatch.ts',
    find: 'const body = bodies.of(row);\n    if (body === null) return erased(row);\n    const beganAt',
    replace: `const body = bodies.of(row) ?? Buffer.from('{"event":{}}');\n    const beganAt`,
  },
  {
    says: 'what was erased since it was claimed is posted by no step',
    file: 'dispatch.ts',
    find: 'const body = bodies.of(row);\n    if (body === null) return erased(row);\n    const attempted',
    replace: "const body = bodies.of(row) ?? Buffer.from('');\n    const attempted",
  },
  {
    says: 'the bodies of a claim are read together, each once',
    file: 'bodies.ts',
    find: '[...events.values()]',
    replace: 'rows.map((row) => [row.scopeId, row.eventId] as const)',
  },
  {
    says: 'bodies that cannot be read are none that were erased',
    file: 'bodies.ts',
    find: '        throw error;\n',
    replace: '        return new Map();\n',
  },
  {
    says: 'a body is of one scope',
    file: 'bodies.ts',
    find: '`${scopeKey(scope)}/${id}`',
    replace: 'scope && id',
  },
];

/** Rules of how deliveries are made and posted, for `npm run campaign -- mutants webhooks/deliver`. */
export const mutants: readonly Mutant[] = DELIVER.map((mutant) => ({ tests, ...mutant }));
