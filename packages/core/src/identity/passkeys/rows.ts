import type { PasskeyTables } from './tables.ts';

export type PasskeyRow = PasskeyTables['authPasskeys']['$inferSelect'];
