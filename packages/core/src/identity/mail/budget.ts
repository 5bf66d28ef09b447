// Limits on sign-in emails per mailbox: in one environment 1 a minute, 5 an hour and 10 a day, and for the whole
// deployment more, against many projects that mail one person. A request over a limit is answered like any other, and
// writes nothing. Source: interface, Authentication; auth.md, Mail over the cap.

import { type Write, write } from '../../database/commit/write-set.ts';
import { hmacSha256 } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';
import type { Platform } from '../../platform/platform.ts';
import { mailboxKeyOf } from '../accounts/email-norm.ts';
import { mailBudgetStatements } from './statements.ts';
import { type MailBudgetStore, mailBudgetStore } from './store.ts';
import type { MailBudgetTables } from './tables.ts';

export type MailBudgetPlatform = Platform<MailBudgetTables>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** At most `max` emails in `ms` milliseconds. */
type Limit = { readonly ms: number; readonly max: number };
export type MailLimits = readonly Limit[];

/** Per mailbox and environment. Source: interface, Authentication. */
export const MAILBOX_LIMITS: MailLimits = [
  { ms: MINUTE_MS, max: 1 },
  { ms: HOUR_MS, max: 5 },
  { ms: DAY_MS, max: 10 },
];
/** Per mailbox and deployment. Chosen: five times as many. */
export const DEPLOYMENT_LIMITS: MailLimits = [
  { ms: MINUTE_MS, max: 5 },
  { ms: HOUR_MS, max: 20 },
  { ms: DAY_MS, max: 50 },
];
/** Scope of the rows that count for the deployment; no environment has it. */
const DEPLOYMENT_SCOPE: InScope = { scopeId: 0 };

/** Purpose of the keys that hide mailboxes in rows, for `keyring.derived`. */
export const MAILBOX_KEY_PURPOSE = 'auth-mailboxes';

/** True if one more email is within every limit. `sentAt`: milliseconds since 1970. Throws nothing. */
export const isWithin = (limits: MailLimits, sentAt: readonly number[], nowMs: number): boolean =>
  limits.every(({ ms, max }) => sentAt.filter((at) => at > nowMs - ms).length < max);

export type MailBudget = MailBudgetStore & {
  /** Writes that debit one email to this mailbox, guarded by what was read; null: it is over a limit. */
  debit(scope: InScope, emailNorm: string, now: Date): Promise<readonly Write[] | null>;
  /** The stored keys of the mailbox of an address, one per key of the deployment. Throws nothing. */
  mailboxesOf(emailNorm: string): readonly string[];
};

/** `keys`: those of MAILBOX_KEY_PURPOSE. */
export const mailBudget = ({ storage, tables }: MailBudgetPlatform, keys: DerivedKeys): MailBudget => {
  const hot = mailBudgetStatements(tables);
  const mailboxesOf = (emailNorm: string): readonly string[] =>
    keys.map((key) => Buffer.from(hmacSha256(key, Buffer.from(mailboxKeyOf(emailNorm)))).toString('base64url'));
  return {
    ...mailBudgetStore({ db: storage.db, tables }),
    mailboxesOf,
    debit: async (scope, emailNorm, now) => {
      const [mailbox = ''] = mailboxesOf(emailNorm);
      const budgets = [
        { scopeId: scope.scopeId, limits: MAILBOX_LIMITS },
        { scopeId: DEPLOYMENT_SCOPE.scopeId, limits: DEPLOYMENT_LIMITS },
      ];
      const rows = await storage.select(
        hot.of,
        budgets.map(({ scopeId }) => [scopeId, mailbox]),
      );
      const nowMs = now.getTime();
      const expiresAt = new Date(nowMs + DAY_MS);
      const writes: Write[] = [];
      for (const { scopeId, limits } of budgets) {
        const row = rows.find((one) => one.scopeId === scopeId);
        const sentAt = (row?.sentAt ?? []).filter((at) => at > nowMs - DAY_MS);
        if (!isWithin(limits, sentAt, nowMs)) return null;
        const next = { scopeId, mailbox, sentAt: [...sentAt, nowMs], expiresAt };
        writes.push(
          row
            ? write(hot.change, { ...next, version: row.version }, 'mailbox')
            : write(hot.insert, { ...next, version: 1 }, 'mailbox'),
        );
      }
      return writes;
    },
  };
};
