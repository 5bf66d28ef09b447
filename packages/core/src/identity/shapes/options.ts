import type { ProviderEndpoints, SocialProvider } from '../auth-settings/social-providers.ts';

/** Endpoints of social providers, by name. Those that are left out stay the provider's own. */
export type ProviderUrls = Readonly<Partial<Record<SocialProvider, Partial<ProviderEndpoints>>>>;

/** Options of sign-in. */
export type AuthOptions = {
  /** A file of SHA-1 hashes of breached passwords, sorted, one `HASH:COUNT` per line. New passwords in it are refused. */
  readonly breachFile?: string | undefined;
  /** Threads that hash passwords. Default: one less than the cores, 1 to 8. */
  readonly hashThreads?: number | undefined;
  /** Memory of all hashes at once, in MiB. Default: 64 per thread. */
  readonly hashMemoryMiB?: number | undefined;
  /** URLs that verify captchas, in place of the services' own. For a proxy of yours, or tests. */
  readonly captchaUrls?:
    | Readonly<Partial<Record<'turnstile' | 'hcaptcha' | 'recaptcha', string | undefined>>>
    | undefined;
  /** Endpoints of social providers in place of their own, for private deployments and tests. */
  readonly providerUrls?: ProviderUrls | undefined;
};
