// Made of the schemas in answers.ts by `npm run openapi`.

/** An organization and project that an API key may access. */
export interface Grant {
  /** Id of the organization. */
  readonly orgId: string;
  /** Id of the project, or `*` for all projects of the organization. */
  readonly projectId: string;
}

/** An API key, without the key itself. */
export interface ApiKey {
  /** Id of the key. */
  readonly id: string;
  /** Name of the key. */
  readonly name: string;
  /** `public`: for apps. `secret`: for servers. */
  readonly kind: 'public' | 'secret';
  /** Environment of the key. */
  readonly environment: 'prod' | 'test';
  /** Last characters of the key. */
  readonly lastFour: string;
  /** Permissions of the key. */
  readonly scopes: readonly ('events.write' | 'tokens:write' | 'push:send' | 'push:read' | 'push:write' | 'email:send' | 'email:read' | 'email:write' | 'sms:send' | 'sms:read' | 'sms:write' | 'profiles:read' | 'profiles:write' | 'audiences:read' | 'audiences:write' | 'workflows:read' | 'workflows:write' | 'webhooks:read' | 'webhooks:write' | 'analytics:read' | 'keys:read' | 'auth:read' | 'auth:write')[];
  /** Organizations and projects of the key. */
  readonly grants: readonly Grant[];
  /** When the key was created. */
  readonly createdAt: Date;
  /** When the key expires; null if it does not. */
  readonly expiresAt: Date | null;
  /** When the key was revoked; null if it was not. */
  readonly revokedAt: Date | null;
  /** When the key was last used; null if it was not. */
  readonly lastUsedAt: Date | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Grant: Grant;
  readonly ApiKey: ApiKey;
}
