import type { PasskeyTables } from './tables.ts';

export type PasskeyRow = PasskeyTables['authPasskeys']['$inferSelect'];
export type PasskeyHandleRow = PasskeyTables['authPasskeyHandles']['$inferSelect'];
