import { and, asc, count, eq, gt, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { StoreContext } from '../../database/context.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { ProviderName } from './names.ts';
import type { CredentialTables } from './tables.ts';

export type CredentialRow = CredentialTables['credentials']['$inferSelect'];

/** One provider of one channel of one scope. */
export type CredentialKey = InScope & { readonly channel: Channel; readonly provider: ProviderName };

/** Credentials for settings and transports: not called per message. */
export const credentialStore = ({
  db,
  tables: { credentials },
}: Pick<StoreContext<CredentialTables>, 'db' | 'tables'>) => {
  const within = ({ scopeId }: InScope, channel: Channel): SQL[] => [
    eq(credentials.scopeId, scopeId),
    eq(credentials.channel, channel),
  ];
  const one = (key: CredentialKey): SQL[] => [...within(key, key.channel), eq(credentials.provider, key.provider)];
  const ofVersion = (key: CredentialKey, version: number) => and(...one(key), eq(credentials.version, version));
  const fresh = { provenAt: null, circuitUntil: null, circuitCode: null, sharedToken: null, sharedTokenIssuedAt: null };

  return {
    ofChannel: async (scope: InScope, channel: Channel): Promise<CredentialRow[]> =>
      db
        .select()
        .from(credentials)
        .where(and(...within(scope, channel), isNotNull(credentials.sealed))),
    get: async (key: CredentialKey): Promise<CredentialRow | undefined> =>
      (
        await db
          .select()
          .from(credentials)
          .where(and(...one(key)))
      ).at(0),
    put: async (
      { scopeId, channel, provider }: CredentialKey,
      values: Pick<CredentialRow, 'sealed' | 'lastFour' | 'updatedAt'>,
    ): Promise<void> => {
      await db
        .insert(credentials)
        .values({ scopeId, channel, provider, version: 1, ...fresh, ...values })
        .onConflictDoUpdate({
          target: [credentials.scopeId, credentials.channel, credentials.provider],
          set: { version: sql`${credentials.version} + 1`, ...fresh, ...values },
        });
    },
    /** The row stays, so a version number is never used again. */
    remove: async (key: CredentialKey, updatedAt: Date): Promise<void> => {
      await db
        .update(credentials)
        .set({ version: sql`${credentials.version} + 1`, sealed: null, lastFour: null, updatedAt, ...fresh })
        .where(and(...one(key), isNotNull(credentials.sealed)));
    },
    prove: async (key: CredentialKey, version: number, provenAt: Date): Promise<void> => {
      await db.update(credentials).set({ provenAt }).where(ofVersion(key, version));
    },
    setCircuit: async (key: CredentialKey, version: number, until: Date | null, code: string | null): Promise<void> => {
      await db.update(credentials).set({ circuitUntil: until, circuitCode: code }).where(ofVersion(key, version));
    },
    countSealed: async (): Promise<number> =>
      (await db.select({ rows: count() }).from(credentials).where(isNotNull(credentials.sealed))).at(0)?.rows ?? 0,
    /** Credentials of all scopes in key order, after a cursor. */
    sealedOfAll: async (after: CredentialKey | null, limit: number): Promise<CredentialRow[]> => {
      const { scopeId, channel, provider } = credentials;
      const afterCursor =
        after &&
        or(
          gt(scopeId, after.scopeId),
          and(eq(scopeId, after.scopeId), gt(channel, after.channel)),
          and(eq(scopeId, after.scopeId), eq(channel, after.channel), gt(provider, after.provider)),
        );
      return db
        .select()
        .from(credentials)
        .where(and(isNotNull(credentials.sealed), afterCursor ?? undefined))
        .orderBy(asc(scopeId), asc(channel), asc(provider))
        .limit(limit);
    },
    /** Replaces a value with the same value sealed anew, unless it changed since `was`. */
    reseal: async (
      key: CredentialKey,
      column: 'sealed' | 'sharedToken',
      was: string,
      sealed: string,
    ): Promise<void> => {
      await db
        .update(credentials)
        .set({ [column]: sealed })
        .where(and(...one(key), eq(credentials[column], was)));
    },
    /** Stores `sharedToken` unless it was replaced since `was`; null: none existed. */
    setSharedToken: async (
      key: CredentialKey,
      version: number,
      was: number | null,
      { sharedToken, sharedTokenIssuedAt }: { sharedToken: string; sharedTokenIssuedAt: number },
    ): Promise<void> => {
      const unchanged =
        was === null ? isNull(credentials.sharedTokenIssuedAt) : eq(credentials.sharedTokenIssuedAt, was);
      await db
        .update(credentials)
        .set({ sharedToken, sharedTokenIssuedAt })
        .where(and(ofVersion(key, version), unchanged));
    },
  };
};

export type CredentialStore = ReturnType<typeof credentialStore>;
