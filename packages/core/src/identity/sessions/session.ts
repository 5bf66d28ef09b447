import type { InScope } from '../../foundation/scope.ts';
import type { Aal, RefreshState, RevokeReason } from './reasons.ts';

/** A stored session. */
export type SessionRow = InScope & {
  readonly id: string;
  readonly accountId: string;
  readonly aal: Aal;
  /** Methods of authentication. Source: RFC 8176. */
  readonly amr: readonly string[];
  readonly authTime: Date;
  /** Client network; null: unknown. */
  readonly ipNet: string | null;
  readonly userAgent: string | null;
  readonly deviceId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly idleExpiresAt: Date;
  readonly absoluteExpiresAt: Date;
  readonly revokedAt: Date | null;
  readonly revokeReason: RevokeReason | null;
  /** Who acts as the user; null: the user. */
  readonly actor: string | null;
};

/** A stored refresh token. */
export type RefreshTokenRow = InScope & {
  readonly hash: string;
  readonly id: string;
  readonly sessionId: string;
  /** The token that was exchanged for this one; null: the first of its session. */
  readonly parentId: string | null;
  readonly state: RefreshState;
  readonly usedAt: Date | null;
  readonly siblings: number;
  readonly createdAt: Date;
};
