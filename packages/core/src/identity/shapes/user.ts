import { type AccountRow, isVerified } from '../accounts/account.ts';
import type { User } from './answers.generated.ts';

/** An account as answers show it. Throws nothing. */
export const userOf = (row: AccountRow): User => ({
  ...{ id: row.id, userId: row.userId, externalId: row.externalId, email: row.email, emailVerified: isVerified(row) },
  ...{ phone: row.phone, name: row.name, locale: row.locale, timezone: row.timezone, metadata: row.metadata },
  ...{
    isAnonymous: row.isAnonymous,
    disabled: row.disabledAt !== null,
    mfaEnabled: row.mfaEnabledAt !== null,
    source: row.source,
  },
  ...{ createdAt: row.createdAt, updatedAt: row.updatedAt, lastSignInAt: row.lastSignInAt },
});
