import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/tenancy.db.test.ts'];

export const tenancyInvariants: readonly Invariant[] = [
  {
    says: 'A scope that the service did not create is rejected.',
    path: 'packages/core/src/platform/tenancy/guard.ts',
    find: 'isOurs(scope) ? call(scope, ...rest) : Promise.reject(foreignScope(name))',
    replace: 'call(scope, ...rest)',
    tests,
  },
  {
    says: 'A list of profiles is limited to its environment.',
    path: 'packages/core/src/people/profiles/store.ts',
    find: `eq(profiles.scopeId, scope.scopeId),
    like(profiles.person, 'u:%'),`,
    replace: "like(profiles.person, 'u:%'),",
    tests,
  },
  {
    says: 'A messageId belongs to the tenant that sent it.',
    path: 'packages/core/src/people/events/dedupe.ts',
    find: `\`\${scopeKey(scope)}/\${messageId}\``,
    replace: 'scope && messageId',
    tests,
  },
  {
    says: 'An idempotency key belongs to the tenant that used it.',
    path: 'packages/core/src/platform/idempotency/idempotency.ts',
    find: '{ ...scopeOf(scope), route, key: name }',
    replace: '{ scopeId: 1, route, key: name }',
    tests,
  },
  {
    says: 'A key acts on its granted projects only.',
    path: 'packages/core/src/platform/tenancy/access.ts',
    find: 'const isGranted = projects.includes(requested.projectId) || projects.includes(ALL_PROJECTS);',
    replace: 'const isGranted = true;',
    tests,
  },
  {
    says: 'A revoked key is rejected.',
    path: 'packages/core/src/platform/tenancy/authenticate.ts',
    find: ' || row.revokedAt) return null;',
    replace: ') return null;',
    tests,
  },
  {
    says: 'An expired key is rejected.',
    path: 'packages/core/src/platform/tenancy/authenticate.ts',
    find: 'if (!found || (found.expiresAt && found.expiresAt <= clock.now())) return null;',
    replace: 'if (!found) return null;',
    tests,
  },
  {
    says: "Listing keys shows those of the caller's environment only.",
    path: 'packages/core/src/platform/tenancy/store.ts',
    find: 'reader && eq(apiKeys.environment, reader.environment),',
    replace: '',
    tests,
  },
  {
    says: 'Provider credentials are stored encrypted.',
    path: 'packages/core/src/delivery/providers/credentials.ts',
    find: "await keyring.seal(placeOf(scope, key, 'sealed'), settings.json)",
    replace: 'settings.json',
    tests,
  },
];
