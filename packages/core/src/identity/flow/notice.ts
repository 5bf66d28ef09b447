import type { Scope } from '../../foundation/scope.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { NoticeKind } from '../auth-settings/mail-kinds.ts';
import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthChange } from '../commit/commit.ts';
import type { AuthContext } from './context.ts';

/** Milliseconds after which a security notice is no longer sent. Chosen: a long weekend. */
const NOTICE_MS = 72 * 3_600_000;

/** A security notice about an account. */
export type NoticeInput = {
  readonly account: Pick<AccountRow, 'id' | 'locale'>;
  readonly kind: NoticeKind;
  /** The most important address first. Null: the account has no address. */
  readonly to: readonly { readonly address: string | null; readonly link: string | null }[];
  /** When the link stops working. Default: 72 hours from now. */
  readonly expiresAt?: Date;
  /** True: also over the limit. */
  readonly isAlwaysSent?: boolean;
};

/** The address of an account that its owner has proven, without a link. Throws nothing. */
export const provenAddress = ({
  email,
  emailVerifiedAt,
}: Pick<AccountRow, 'email' | 'emailVerifiedAt'>): NoticeInput['to'] => [
  { address: emailVerifiedAt === null ? null : email, link: null },
];

/**
 * Plans the emails of a notice, in the language of the account. An account gets at most 5 notices an hour, so that nobody
 * floods a mailbox through it. Throws errors of the keyring and of the database.
 */
export const planNotice = async (
  { budget, makeEmail }: Pick<AuthContext, 'budget' | 'makeEmail'>,
  scope: Scope,
  { account, kind, to, expiresAt, isAlwaysSent = false }: NoticeInput,
  settings: Pick<AuthSettings, 'mail'>,
  now: Date,
): Promise<Required<Pick<AuthChange, 'writes' | 'emails'>>> => {
  const addressed = to.flatMap(({ address, link }) => (address === null ? [] : [{ address, link }]));
  if (addressed.length === 0 || !settings.mail.notices.includes(kind)) return { writes: [], emails: [] };
  const { allowed, writes } = await budget.debitNotices(scope, account.id, addressed.length, now);
  const planned = isAlwaysSent ? addressed : addressed.slice(0, allowed);
  const emails = planned.map(({ address, link }) =>
    makeEmail(scope, {
      ...{ kind, to: address, link, code: null, locale: account.locale },
      expiresAt: expiresAt ?? new Date(now.getTime() + NOTICE_MS),
    }),
  );
  return { writes, emails: await Promise.all(emails) };
};
