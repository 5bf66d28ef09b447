import type { SessionTables } from './tables.ts';

export type SessionRow = SessionTables['authSessions']['$inferSelect'];
export type RefreshTokenRow = SessionTables['authRefreshTokens']['$inferSelect'];
