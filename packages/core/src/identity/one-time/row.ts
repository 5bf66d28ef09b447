import type { OneTimeTables } from './tables.ts';

export type OneTimeRow = OneTimeTables['authOneTime']['$inferSelect'];
