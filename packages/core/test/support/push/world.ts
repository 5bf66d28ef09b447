import type { StorageObserver } from '../../../src/database/observer.ts';
import { virtualClock } from '../../../src/foundation/clock.ts';
import { uuidV7Ids } from '../../../src/foundation/ids.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { pushStatements } from '../../../src/messaging/push/statements.ts';
import { type TokensContext, tokensEngine } from '../../../src/messaging/push/tokens.ts';
import { openTestDatabase } from '../database.ts';
import { scopeLike, testScope } from '../scopes.ts';

export const START = '2026-03-01T12:00:00.000Z';
export const TEST = testScope({ orgId: 'org-a', projectId: 'app', environment: 'test' });
/** Scopes that must not see each other's rows. */
export const OTHERS: Readonly<Record<string, Scope>> = {
  'another org': scopeLike(TEST, { orgId: 'org-b' }),
  'another project': scopeLike(TEST, { projectId: 'shop' }),
  'another environment': scopeLike(TEST, { environment: 'prod' }),
};

/** Push tokens over an empty database. Two engines over one world act as two processes. */
export const openTokens = async () => {
  const clock = virtualClock(START);
  const observer: StorageObserver = {};
  const statements: string[] = [];
  const database = await openTestDatabase({
    clock,
    observer: {
      statement: (id) => statements.push(id),
      beforeCommit: () => observer.beforeCommit?.(),
    },
  });
  const aliases = new Map<string, string>();
  const engine = (more: Partial<TokensContext> = {}) =>
    tokensEngine({
      storage: database.storage,
      tables: database.tables,
      clock,
      ids: uuidV7Ids(clock),
      userOf: async (_, anonymousId) => aliases.get(anonymousId) ?? null,
      vapidPublicKey: async () => null,
      ...more,
    });
  const tokens = engine();
  const { pushTokens, tokenOwners } = database.tables;
  return {
    clock,
    observer,
    statements,
    database,
    storage: database.storage,
    tables: database.tables,
    hot: pushStatements(database.tables),
    aliases,
    engine,
    tokens,
    rows: () => database.storage.db.select().from(pushTokens).orderBy(pushTokens.id),
    owners: () => database.storage.db.select().from(tokenOwners).orderBy(tokenOwners.id),
    /** Registers an Android device; returns its row id. */
    device: async (token: string, userId?: string, scope: Scope = TEST): Promise<string> =>
      (await tokens.register(scope, { token, platform: 'android', userId })).token.id,
    close: () => database.close(),
  };
};

export type TokensWorld = Awaited<ReturnType<typeof openTokens>>;
