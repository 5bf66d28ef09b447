import type { ScimTables } from './tables.ts';

export type ScimDirectoryRow = ScimTables['authScimDirectories']['$inferSelect'];
export type ScimTokenRow = ScimTables['authScimTokens']['$inferSelect'];
export type ScimUserRow = ScimTables['authScimUsers']['$inferSelect'];
export type ScimGroupRow = ScimTables['authScimGroups']['$inferSelect'];
