import { type Write, write } from '../../database/commit/write-set.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import { type ClientInfo, ipNetOf } from './client.ts';
import { auditStatements } from './statements.ts';
import { type AuditStore, auditStore } from './store.ts';
import type { AuditTables } from './tables.ts';

export type AuditPlatform = Platform<AuditTables>;

/** What is recorded of an action. */
export type AuditEntry = {
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  /** `ok`, or the reason of the failure. */
  readonly result: string;
  readonly client?: ClientInfo | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
};

export type Audit = AuditStore & {
  /** A write that records an action, for the commit of the action. Throws nothing. */
  record(scope: InScope, entry: AuditEntry, now: Date): Write;
};

export const auditLog = ({ storage, tables, ids }: AuditPlatform): Audit => {
  const hot = auditStatements(tables);
  return {
    ...auditStore({ db: storage.db, tables }),
    record: (scope, { actor, action, target, result, client, detail = {} }, now) =>
      write(hot.insert, {
        ...scopeOf(scope),
        ...{ id: ids.next(), actor, action, target, result, detail, at: now },
        ipNet: client ? ipNetOf(client.ip) : null,
      }),
  };
};
