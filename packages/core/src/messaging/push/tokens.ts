import { write } from '../../database/commit/write-set.ts';
import { SANDBOX_WEB_PUSH_KEY } from '../../delivery/transports/sandbox/web-push-key.ts';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import { notFound, providerNotConfigured } from '../../foundation/errors.ts';
import { anonymousIdOf, type Person, userIdOf, userPerson } from '../../foundation/person.ts';
import type { CountPlaceholders } from '../../foundation/placeholder-user-id.ts';
import { type InScope, type Scope, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Reaction } from '../../people/events/pipeline.ts';
import type { PushToken } from '../../people/profiles/answers.generated.ts';
import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TokensApi } from './api.ts';
import { tokenKey } from './device-token.ts';
import { parseRegistration } from './schema.ts';
import { pushStatements } from './statements.ts';
import { pushStore, type TokenRow } from './store.ts';
import type { PushTables } from './tables.ts';

/** Maximum tokens shown in a profile. Chosen: far more than a user has devices. */
const MAX_SHOWN = 100;

/** Settings that Web Push needs. */
const VAPID_SETTINGS = ['publicKey', 'privateKey', 'subject'];

/** Dependencies of tokens. `module.ts` builds it once. */
export type TokensContext = Pick<Platform<PushTables>, 'storage' | 'tables' | 'clock' | 'ids'> & {
  /** Allowed endpoints of browsers; absent: any. */
  readonly endpoints?: EndpointRules | undefined;
  /** The user that an anonymous id was identified as; null: none. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  /** True if a registration makes an inactive token active. Default: it does not. */
  readonly reactivates?: ((scope: InScope) => Promise<boolean>) | undefined;
  /** Default: placeholder user ids are not counted. */
  readonly countPlaceholders?: CountPlaceholders | undefined;
  /** The public key that browsers subscribe with; null: the project has none. */
  readonly vapidPublicKey: (scope: InScope) => Promise<string | null>;
};

/** Functions for other modules. */
export type Tokens = {
  /** Moves tokens that were registered while their user was merged. */
  follow(scope: InScope, from: string, to: string): Promise<void>;
  /** The profile of a token; null: none; undefined: the scope has no token with this id. */
  ownerOf(scope: InScope, id: string): Promise<Person | null | undefined>;
  /** Number of active devices by user; users without any are absent. */
  devicesOf(scope: InScope, people: readonly Person[]): Promise<ReadonlyMap<string, number>>;
  /** Newest first, including inactive ones; at most 100. */
  ofPerson(scope: Scope, person: Person): Promise<readonly PushToken[]>;
};

const viewOf = (
  scope: Scope,
  row: Omit<TokenRow, 'scopeId' | 'lastError' | 'registeredAt' | 'tokenKey'>,
): PushToken => ({
  id: row.id,
  orgId: scope.orgId,
  projectId: scope.projectId,
  environment: scope.environment,
  userId: row.person === null ? null : userIdOf(row.person),
  anonymousId: row.person === null ? null : anonymousIdOf(row.person),
  platform: row.platform,
  token: row.token,
  locale: row.locale,
  timezone: row.timezone,
  appVersion: row.appVersion,
  apnsEnvironment: row.apnsEnvironment,
  isActive: row.isActive,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** The row that a registration writes. */
type Registered = Omit<TokenRow, 'lastError'>;

/** Devices and their users. Contract of its public functions: TokensApi. */
export const tokensEngine = (
  context: TokensContext,
): Tokens & TokensApi & { readonly api: TokensApi; readonly merges: Reaction<void>; readonly eraser: Eraser } => {
  const { storage, tables, clock, ids, endpoints, userOf, vapidPublicKey, countPlaceholders } = context;
  const { reactivates = async () => false } = context;
  const hot = pushStatements(tables);
  const store = pushStore({ db: storage.db, tables });
  const resolvedPerson = async (scope: InScope, person: Person | null): Promise<Person | null> => {
    const anonymousId = person === null ? null : anonymousIdOf(person);
    if (anonymousId === null) return person;
    const userId = await userOf(scope, anonymousId);
    return userId === null ? person : userPerson(userId);
  };

  /**
   * Moves a device here from another scope of its organization. It keeps its id, creation time and `isActive`; all
   * other values of the old scope are dropped. False: another writer changed it meanwhile.
   */
  const moveHere = async (row: Registered, isReactivated: boolean): Promise<boolean> => {
    const [owner] = await storage.select(hot.owners, [[row.tokenKey]]);
    if (!owner || owner.scopeId === row.scopeId) return false;
    const [there] = await storage.select(hot.devices, [[owner.scopeId, row.tokenKey]]);
    const { id, isActive, createdAt, lastError } = there ?? { ...row, lastError: null };
    const moved = { ...row, id, isActive: isReactivated || isActive, createdAt, lastError };
    const writes = [
      write(hot.changeOwner, { ...scopeOf(owner), tokenKey: row.tokenKey, newScopeId: row.scopeId }),
      ...(there ? [write(hot.leave, there)] : []),
      write(hot.arrive, moved),
    ];
    return (await storage.commit({ writes })).ok;
  };

  const api: TokensApi = {
    register: async (scope, body) => {
      const { fields, hasPlaceholder, ...registration } = parseRegistration(body, endpoints);
      if (hasPlaceholder) countPlaceholders?.(scope, 'tokens', 1);
      const now = clock.now();
      const id = ids.next();
      const row = {
        ...scopeOf(scope),
        ...registration,
        id,
        tokenKey: tokenKey(scope.orgId, registration.token),
        person: await resolvedPerson(scope, registration.person),
        isActive: true,
        createdAt: now,
        updatedAt: now,
        registeredAt: now,
      };
      const isReactivated = await reactivates(scope);
      const upsert = hot.upsert(isReactivated ? [...fields, 'isActive'] : fields);
      const writes = [write(hot.claimOwner, row, id), write(upsert, row)];
      while (!(await storage.commit({ writes })).ok && !(await moveHere(row, isReactivated)));
      const [stored] = await storage.select(hot.devices, [[scopeKey(scope), row.tokenKey]]);
      if (stored) return { token: viewOf(scope, stored), isNew: stored.id === id };
      // A later registration moved the device to another scope, whose values this scope may not read.
      const [owner] = await storage.select(hot.owners, [[row.tokenKey]]);
      const [there] = owner ? await storage.select(hot.states, [[owner.scopeId, owner.id]]) : [];
      const deviceId = there?.id ?? id;
      return {
        token: viewOf(scope, { ...row, id: deviceId, isActive: there?.isActive ?? true }),
        isNew: deviceId === id,
      };
    },
    delete: async (scope, id) => {
      const row = await store.deactivate(scope, id, clock.now());
      if (!row) throw notFound('device token with this id', scope);
      return viewOf(scope, row);
    },
    webConfig: async (scope) => {
      const key = await vapidPublicKey(scope);
      if (key !== null) return { vapidPublicKey: key };
      if (scope.environment === 'test') return { vapidPublicKey: SANDBOX_WEB_PUSH_KEY };
      throw providerNotConfigured({ channel: 'push', provider: 'webpush', missing: VAPID_SETTINGS });
    },
  };

  /**
   * Moves the tokens of an anonymous user to the identified user; a merge runs it, and merge maintenance once more: see
   * `follow`.
   */
  const merges: Reaction<void> = {
    name: 'push tokens',
    load: async () => undefined,
    plan: (draft) => {
      for (const { scope, from, to } of draft.merges)
        draft.writes.push(write(hot.follow, { ...scopeOf(scope), person: from, newPerson: to }));
    },
  };

  return {
    ...api,
    api,
    merges,
    follow: async (scope, from, to) => {
      const row = { ...scopeOf(scope), person: from, newPerson: to };
      await storage.commit({ writes: [write(hot.follow, row)] });
    },
    eraser: sliced('devices', ({ scope, people }) =>
      storage.transaction((db) => pushStore({ db, tables }).erase(scope, people, SLICE)),
    ),
    ownerOf: async (scope, id) => {
      const row = await store.get(scope, id);
      // Safe: written by a registration.
      return row && (row.person as Person | null);
    },
    devicesOf: async (scope, people) => {
      const devices = new Map<string, number>();
      for (const { person, tokens } of await store.counts(scope, people))
        if (person !== null) devices.set(person, (devices.get(person) ?? 0) + tokens);
      return devices;
    },
    ofPerson: async (scope, person) =>
      (await store.ofPerson(scope, person, MAX_SHOWN)).map((row) => viewOf(scope, row)),
  };
};
