// Made of the schemas in answers.ts by `npm run openapi`.

import type { AuthResult } from '../shapes/answers.generated.ts';

/** A sign-in at a provider that has begun. */
export interface SocialStarted {
  /** URL to open in the browser. */
  readonly authorizationUrl: string;
  /** Seconds within which the user must finish. */
  readonly expiresIn: number;
}

/** The URL to open; with an ID token, the result of the sign-in. */
export type SocialSignIn = SocialStarted | AuthResult;

/** A social provider that users can sign in with. */
export interface SocialProviderEnabled {
  /** Social provider. */
  readonly provider: 'google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify';
  /** Always true: other providers are not listed. */
  readonly enabled: true;
  /** Client id of the app at the provider, for native sign-in. */
  readonly clientId: string;
}

/** An app that is registered with a social provider. */
export interface SocialProviderSettings {
  /** Social provider. */
  readonly provider: 'google' | 'apple' | 'microsoft' | 'facebook' | 'github' | 'gitlab' | 'discord' | 'linkedin' | 'x' | 'twitch' | 'slack' | 'spotify';
  /** Whether users may sign in with this provider. */
  readonly enabled: boolean;
  /** Client id of your app at the provider. */
  readonly clientId: string;
  /** Whether a client secret is stored. The secret is never returned. */
  readonly hasClientSecret: boolean;
  /** Scopes that are requested in addition. */
  readonly scopes: readonly string[];
  /** Facts that only some providers need. */
  readonly extra: {
    /** Apple only: team id. */
    readonly teamId?: string | undefined;
    /** Apple only: id of the key. */
    readonly keyId?: string | undefined;
    /** Microsoft only: tenant id or domain, `organizations`, `consumers` or `common`. Default: common. */
    readonly tenant?: string | undefined;
    /** Client ids of apps that send native ID tokens, in addition to clientId. At most 10. Default: none. */
    readonly nativeClientIds?: readonly string[] | undefined;
  };
  /** Callback URL to enter at the provider; null if publicUrl is not set. */
  readonly callbackUrl: string | null;
  /** When the settings last changed. */
  readonly updatedAt: Date;
}

/** Result of deleting a provider. */
export interface SocialProviderDeleted {
  /** The provider is no longer set up. */
  readonly deleted: true;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly SocialStarted: SocialStarted;
  readonly SocialSignIn: SocialSignIn;
  readonly SocialProviderEnabled: SocialProviderEnabled;
  readonly SocialProviderSettings: SocialProviderSettings;
  readonly SocialProviderDeleted: SocialProviderDeleted;
}
