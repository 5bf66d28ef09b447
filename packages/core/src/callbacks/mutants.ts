import type { Mutant } from '../../test/mutant.ts';

const READERS = ['packages/core/src/email/callbacks'];

/** Rules of callbacks, for `npm run campaign -- mutants callbacks`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'without a secret nothing is believed',
    file: 'reader.ts',
    find: "if (secrets.length === 0) return { ok: false, reason: 'no_secret' };",
    replace: '',
    tests: READERS,
  },
  {
    says: 'an event is applied once',
    file: 'hot.ts',
    find: "{ conflict: { target: ['scopeId', 'provider', 'eventId'] }, isGuarded: true },",
    replace: "{ conflict: { target: ['scopeId', 'provider', 'eventId'] } },",
  },
  {
    says: 'messages of other scopes are none of an event',
    file: 'apply.ts',
    find: 'const own = given.filter(({ scopeId }) => scopeId === scope.scopeId);',
    replace: 'const own = given;',
  },
  {
    says: 'each scope of a request is checked with its own secrets',
    file: 'callbacks.ts',
    find: 'secrets: await source.secrets(scope) })',
    replace: 'secrets: await source.secrets(theirs[0] ?? scope) })',
  },
  {
    says: 'what is refused in every scope is refused',
    file: 'callbacks.ts',
    find: 'if (first === undefined) throw refuse(reason);',
    replace: 'if (first === undefined) return null;',
  },
  {
    says: 'an unsigned callback of a network that is over its limit is not read',
    file: 'callbacks.ts',
    find: "if (isUnsigned && isSuspect) throw refuse('unsigned');",
    replace: '',
  },
  {
    says: 'the rest of a body is read only where something is set to check it with',
    file: 'callbacks.ts',
    find: "if (ready.length === 0) throw refuse('no_secret');",
    replace: 'if (ready.length === 0) await body.whole();',
  },
  {
    says: 'a replay needs no secret of today',
    file: 'callbacks.ts',
    find: 'const told = source.reader.parse(request);',
    replace:
      'const told = await readCallback(source.reader, request, await source.secrets(scope), clock.now()).then((one) => (one.ok ? one : null));',
  },
  {
    says: 'a replay reads what its own scope kept',
    file: 'store.ts',
    find: '.where(and(eq(callbacks.scopeId, scopeId), eq(callbacks.id, id)))',
    replace: '.where(eq(callbacks.id, id))',
  },
  {
    says: 'nobody makes a token of a URL',
    file: 'path-token.ts',
    find: 'return isOurs ? { scopeId: head.readUInt32BE() } : null;',
    replace: 'return isOurs || true ? { scopeId: head.readUInt32BE() } : null;',
  },
  {
    says: 'callbacks are kept for 7 days',
    file: 'callbacks.ts',
    find: 'const KEPT_MS = 7 * 86_400_000;',
    replace: 'const KEPT_MS = 6 * 86_400_000;',
  },
  {
    says: 'whoever is erased takes the requests along that tell of their address',
    file: 'store.ts',
    find: 'if (addresses.length > 0) told.push(inArray(events.address, [...addresses]));',
    replace: '',
  },
];
