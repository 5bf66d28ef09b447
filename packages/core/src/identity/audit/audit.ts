import { type Write, write } from '../../database/commit/write-set.ts';
import type { Ids } from '../../foundation/ids.ts';
import { type InScope, scopeOf } from '../../foundation/scope.ts';
import { type ClientInfo, ipNetOf } from '../sessions/sessions.ts';
import type { AuditStatements } from './statements.ts';

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

export type Audit = {
  /** A write that records an action, for the commit of the action. Throws nothing. */
  record(scope: InScope, entry: AuditEntry, now: Date): Write;
};

export const auditLog = ({ hot, ids }: { readonly hot: AuditStatements; readonly ids: Ids }): Audit => ({
  record: (scope, { actor, action, target, result, client, detail = {} }, now) =>
    write(hot.insert, {
      ...scopeOf(scope),
      ...{ id: ids.next(), actor, action, target, result, detail, at: now },
      ipNet: client ? ipNetOf(client.ip) : null,
    }),
});
