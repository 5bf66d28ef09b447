// Limits on sign-in emails per mailbox: in one environment 1 a minute, 5 an hour and 10 a day, and for the whole
// deployment more, against many projects that mail one person. A request over a limit is answered like any other, and
// writes nothing. Source: interface, Authentication; auth.md, Mail over the cap.

import { type Write, write } from '../../database/commit/write-set.ts';
import { hmacSha256, sha256Hex } from '../../foundation/hash.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { DerivedKeys } from '../../foundation/secrets.ts';
import type { Platform } from '../../platform/platform.ts';
import { mailboxKeyOf } from '../accounts/email-norm.ts';
import { projectMailExceeded } from '../shapes/errors.ts';
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
/** Security notices per account. Source: auth.md, Mail. */
export const NOTICE_LIMITS: MailLimits = [{ ms: HOUR_MS, max: 5 }];
/** Scope of the rows that count for the deployment; no environment has it. */
const DEPLOYMENT_SCOPE: InScope = { scopeId: 0 };

/** Purpose of the keys that hide mailboxes in rows, for `keyring.derived`. */
export const MAILBOX_KEY_PURPOSE = 'auth-mailboxes';

/** True if one more email is within every limit. `sentAt`: milliseconds since 1970. Throws nothing. */
export const isWithin = (limits: MailLimits, sentAt: readonly number[], nowMs: number): boolean =>
  limits.every(({ ms, max }) => sentAt.filter((at) => at > nowMs - ms).length < max);

/**
 * Emails of one environment are counted in periods of this length, each in several rows. An hour is six whole periods and
 * the part of the present one that has passed.
 */
const PERIOD_MS = 600_000;
const PERIODS_PER_HOUR = HOUR_MS / PERIOD_MS;
const PARTS = 8;

/** The start of the period of a moment. Throws nothing. */
const periodOf = (ms: number): Date => new Date(ms - (ms % PERIOD_MS));
/** The start of the oldest period that still counts at a moment. Throws nothing. */
export const oldestPeriodAt = (now: Date): Date =>
  new Date(periodOf(now.getTime()).getTime() - PERIODS_PER_HOUR * PERIOD_MS);

export type MailBudget = MailBudgetStore & {
  /**
   * Refuses if the environment has planned `perHour` emails in the last hour, of known and unknown mailboxes alike. The
   * count reads no lock and fails no commit. It is too high by the emails of the first minutes of the oldest period, at
   * most ten minutes, and too low by the emails that are being committed at the same time, at most one per request in
   * flight in all processes. Throws RATE_LIMITED `project_mail`.
   */
  requireWithin(scope: InScope, perHour: number, now: Date): Promise<void>;
  /** Writes that debit one email to this mailbox, guarded by what was read; null: it is over a limit. */
  debit(scope: InScope, emailNorm: string, now: Date): Promise<readonly Write[] | null>;
  /** How many of `count` notices an account may get now, and the writes that count them, guarded by what was read. */
  debitNotices(
    scope: InScope,
    accountId: string,
    count: number,
    now: Date,
  ): Promise<{ readonly allowed: number; readonly writes: readonly Write[] }>;
  /** The stored keys of the mailbox of an address, one per key of the deployment. Throws nothing. */
  mailboxesOf(emailNorm: string): readonly string[];
};

/** The key of the row that counts the notices of an account. Throws nothing. */
export const noticeKeyOf = (accountId: string): string => `notices:${accountId}`;

/** `keys`: those of MAILBOX_KEY_PURPOSE. */
export const mailBudget = ({ storage, tables }: MailBudgetPlatform, keys: DerivedKeys): MailBudget => {
  const hot = mailBudgetStatements(tables);
  const mailboxesOf = (emailNorm: string): readonly string[] =>
    keys.map((key) => Buffer.from(hmacSha256(key, Buffer.from(mailboxKeyOf(emailNorm)))).toString('base64url'));
  /** Writes a count, guarded by the row that was read. */
  const counting = (
    row: { readonly version: number } | undefined,
    next: InScope & { readonly mailbox: string; readonly sentAt: readonly number[]; readonly expiresAt: Date },
  ): Write =>
    row
      ? write(hot.change, { ...next, version: row.version }, 'mailbox')
      : write(hot.insert, { ...next, version: 1 }, 'mailbox');
  return {
    ...mailBudgetStore({ db: storage.db, tables }),
    mailboxesOf,
    requireWithin: async ({ scopeId }, perHour, now) => {
      const oldest = oldestPeriodAt(now);
      const counts = (await storage.select(hot.counts, [[scopeId]])).filter(({ startsAt }) => startsAt >= oldest);
      const sum = counts.reduce((total, { planned }) => total + planned, 0);
      if (sum < perHour) return;
      const first = Math.min(...counts.map(({ startsAt }) => startsAt.getTime()));
      throw projectMailExceeded(perHour, first + HOUR_MS + PERIOD_MS - now.getTime());
    },
    debitNotices: async ({ scopeId }, accountId, count, now) => {
      const nowMs = now.getTime();
      const mailbox = noticeKeyOf(accountId);
      const [row] = await storage.select(hot.of, [[scopeId, mailbox]]);
      const sentAt = (row?.sentAt ?? []).filter((at) => at > nowMs - HOUR_MS);
      let allowed = 0;
      for (; allowed < count && isWithin(NOTICE_LIMITS, sentAt, nowMs); allowed += 1) sentAt.push(nowMs);
      if (allowed === 0) return { allowed, writes: [] };
      return { allowed, writes: [counting(row, { scopeId, mailbox, sentAt, expiresAt: new Date(nowMs + HOUR_MS) })] };
    },
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
      const part = Number.parseInt(sha256Hex(mailbox).slice(0, 4), 16) % PARTS;
      const counted = { scopeId: scope.scopeId, startsAt: periodOf(nowMs), part, planned: 1 };
      const writes: Write[] = [write(hot.count, counted)];
      for (const { scopeId, limits } of budgets) {
        const row = rows.find((one) => one.scopeId === scopeId);
        const sentAt = (row?.sentAt ?? []).filter((at) => at > nowMs - DAY_MS);
        if (!isWithin(limits, sentAt, nowMs)) return null;
        writes.push(counting(row, { scopeId, mailbox, sentAt: [...sentAt, nowMs], expiresAt }));
      }
      return writes;
    },
  };
};
