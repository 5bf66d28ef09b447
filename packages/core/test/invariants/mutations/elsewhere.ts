import type { Invariant } from '../invariant.ts';

/** Rules that tests beside the code check: those of one engine, or of what no caller sees. */
export const elsewhereInvariants: readonly Invariant[] = [
  {
    says: 'Concurrent changes of one profile by two processes are all kept.',
    path: 'packages/core/src/people/profiles/statements.ts',
    find: `      lastSeenAt: 'greatest',
      version: 'increment',
    },
    isGuarded: true,`,
    replace: `      lastSeenAt: 'greatest',
      version: 'increment',
    },`,
    tests: ['packages/core/src/people/events/race.db.test.ts'],
  },
  {
    says: 'A worker claims no row that another one has leased.',
    path: 'packages/core/src/database/statements/claim.ts',
    find: `const free = \`\${DUE} <= \${now} and (lease_until is null or lease_until <= \${now})\`;
  const keys`,
    replace: `const free = \`\${DUE} <= \${now}\`;
  const keys`,
    tests: ['packages/core/src/database/storage.db.test.ts'],
  },
  {
    says: 'A takeover raises the fencing token, so that the previous worker can write nothing.',
    path: 'packages/core/src/database/statements/claim.ts',
    find: `set \${leased(lease)}, fence = fence + 1 where rowid`,
    replace: `set \${leased(lease)}, fence = fence where rowid`,
    tests: ['packages/core/src/database/storage.db.test.ts'],
  },
  {
    says: 'A worker cannot renew a lease that another one took over.',
    path: 'packages/core/src/database/statements/claim.ts',
    find: `where (scope_id, id, fence) in \` +
      \`(select \${keys} from`,
    replace: `where (scope_id, id) in \` +
      \`(select l.value ->> 0, l.value ->> 1 from`,
    tests: ['packages/core/src/database/storage.db.test.ts'],
  },
  {
    says: "Only the worker with the lease of a message writes its provider's response.",
    path: 'packages/core/src/messaging/sends/statements.ts',
    find: `SetVerb }) =>
    bulkUpdate(id, messages, {
      where: [...KEY, 'fence'],`,
    replace: `SetVerb }) =>
    bulkUpdate(id, messages, {
      where: [...KEY],`,
    tests: ['packages/core/src/messaging/sends/deliver/dispatch.db.test.ts'],
  },
  {
    says: 'Only the worker with the lease of a run writes its step.',
    path: 'packages/core/src/automation/runs/statements.ts',
    find: "where: [...SCOPE, 'id', 'fence', 'person'],",
    replace: "where: [...SCOPE, 'id', 'person'],",
    tests: ['packages/core/src/automation/runs/stale-writers.db.test.ts'],
  },
  {
    says: "A provider's report changes messages of its own tenant only.",
    path: 'packages/core/src/messaging/callbacks/apply.ts',
    find: 'const ownMessages = foundMessages.filter(({ scopeId }) => scopeId === scope.scopeId);',
    replace: 'const ownMessages = foundMessages;',
    tests: ['packages/core/src/messaging/callbacks/callbacks.db.test.ts'],
  },
  {
    says: 'A repeated report of a provider is applied once.',
    path: 'packages/core/src/messaging/callbacks/statements.ts',
    find: "{ conflict: { target: ['scopeId', 'provider', 'eventId'] }, isGuarded: true },",
    replace: "{ conflict: { target: ['scopeId', 'provider', 'eventId'] } },",
    tests: ['packages/core/src/messaging/callbacks/callbacks.db.test.ts'],
  },
  {
    says: 'A changed backup is not restored.',
    path: 'packages/core/src/database/backup/file.ts',
    find: 'if (!hash.digest().equals(digest)) throw damaged();',
    replace: '',
    tests: ['packages/core/src/app/backup.db.test.ts'],
  },
  {
    says: 'A restore replaces existing data only when forced.',
    path: 'packages/core/src/database/backup/backup.ts',
    find: '      ...rest,',
    replace: `      ...rest,
      isForced: true,`,
    tests: ['packages/core/src/app/backup.db.test.ts'],
  },
  {
    says: 'A database of a newer program is refused.',
    path: 'packages/core/src/database/migrate.ts',
    find: 'if (isNewer) throw newerError(',
    replace: 'if (isNewer && pending.length > 0) throw newerError(',
    tests: ['packages/core/src/database/migrate.db.test.ts'],
  },
  {
    says: 'Data is retained for as long as the plan says.',
    path: 'packages/core/src/platform/plans/retention.ts',
    find: 'retentionDays * DAY_MS',
    replace: '30 * DAY_MS',
    tests: ['packages/core/src/platform/plans/retention.db.test.ts'],
  },
];
