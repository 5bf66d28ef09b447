import { readFileSync } from 'node:fs';
import type { Scope } from '@beckon/core';
import { tablesOf } from '../../../core/src/app/tables.ts';
import { write } from '../../../core/src/database/commit/write-set.ts';
import { openDatabase } from '../../../core/src/database/open.ts';
import { uuidV7Ids } from '../../../core/src/foundation/ids.ts';
import { tokenKey } from '../../../core/src/messaging/push/device-token.ts';
import { pushStatements } from '../../../core/src/messaging/push/statements.ts';

/** Rows of one transaction. */
const BATCH = 1_000;

/**
 * Registers devices of iOS as `POST /push/tokens` does, many in one transaction.
 *
 * @param users tokens by userId
 */
export const registerMany = async (
  url: string,
  scope: Scope,
  users: ReadonlyMap<string, readonly string[]>,
): Promise<void> => {
  const { storage, dialect } = await openDatabase({ url });
  try {
    const upsert = pushStatements(tablesOf(dialect)).upsert(['person', 'apnsEnvironment']);
    const clock = { now: () => new Date() };
    const ids = uuidV7Ids(clock);
    const now = clock.now();
    const rows = [...users].flatMap(([userId, tokens]) =>
      tokens.map((token) => ({
        ...scope,
        id: ids.next(),
        tokenKey: tokenKey(scope.orgId, token),
        platform: 'ios' as const,
        token,
        person: `u:${userId}`,
        // As devices with earlier sends, so that their APNs environment is known.
        apnsEnvironment: 'production' as const,
        isActive: true,
        createdAt: now,
        updatedAt: now,
        registeredAt: now,
      })),
    );
    for (let from = 0; from < rows.length; from += BATCH)
      await storage.commit({
        writes: rows.slice(from, from + BATCH).map((row) => write(upsert, row, row.id)),
      });
  } finally {
    await storage.close();
  }
};

/** Current and maximum resident memory of a process in mebibytes, from /proc of Linux. */
export const memoryOf = (pid: number): { readonly nowMib: number; readonly peakMib: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024);
  return { nowMib: mib('VmRSS'), peakMib: mib('VmHWM') };
};
