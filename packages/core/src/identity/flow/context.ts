import type { Scope } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Audit } from '../audit/audit.ts';
import type { AuthSettingsEngine } from '../auth-settings/settings.ts';
import type { Captcha } from '../captcha/captcha.ts';
import type { CommitAuth } from '../commit/commit.ts';
import type { HashConfigs } from '../hash-configs/hash-configs.ts';
import type { Identities } from '../identities/identities.ts';
import type { MailBudget } from '../mail/budget.ts';
import type { MakeEmail } from '../mail/emails.ts';
import type { Mfa } from '../mfa/mfa.ts';
import type { OneTime } from '../one-time/one-time.ts';
import type { PasswordHasher } from '../passwords/passwords.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { TokenIssuer } from '../tokens/issuer.ts';
import type { Before } from './before.ts';
import type { CountSignInMethods } from './sign-in-methods.ts';
import type { RemoveUnproven } from './unproven.ts';

/** What the flows of sign-in share. */
export type AuthContext = Pick<Platform<unknown>, 'storage' | 'clock' | 'ids' | 'log'> & {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly oneTime: OneTime;
  readonly identities: Identities;
  readonly budget: MailBudget;
  readonly makeEmail: MakeEmail;
  readonly mfa: Mfa;
  readonly settings: AuthSettingsEngine;
  readonly tokens: TokenIssuer;
  readonly hasher: PasswordHasher;
  readonly hashConfigs: HashConfigs;
  /** Finds a password in the operator's breach list; null: there is no list. */
  readonly breached: ((password: string) => Promise<boolean>) | null;
  readonly audit: Audit;
  readonly commit: CommitAuth;
  readonly before: Before;
  readonly captcha: Captcha;
  /** What the first proof of a mailbox removes, by module. */
  readonly unproven: readonly RemoveUnproven[];
  /** Ways to sign in, by module. */
  readonly signInMethods: readonly CountSignInMethods[];
  /** True if users may sign in with a connection now. */
  isConnectionEnabled(scope: Scope, connectionId: string): Promise<boolean>;
  /** Throws RATE_LIMITED `project_mail` if the project has sent all sign-in emails of its hour. */
  requireMailCount(scope: Scope): Promise<void>;
  /** Throws PROVIDER_NOT_CONFIGURED if the environment cannot send email, and as `requireMailCount`. */
  requireEmail(scope: Scope): Promise<void>;
};
