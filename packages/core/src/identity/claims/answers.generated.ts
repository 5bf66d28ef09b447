// Made of the schemas in answers.ts by `npm run openapi`.

/** Claims template of an environment. */
export interface ClaimsTemplate {
  /** Claims that access tokens get in addition, by name; null: none. */
  readonly template: Readonly<Record<string, unknown>> | null;
  /** When the template was last changed; null without a template. */
  readonly updatedAt: Date | null;
}

/** Claims as an access token would have them. */
export interface ClaimsPreview {
  /** Rendered claims; null if tokens are issued without them. */
  readonly claims: Readonly<Record<string, unknown>> | null;
  /** Why tokens are issued without the claims: more than 4 KB, or the profile cannot be read. */
  readonly skipped: 'too_large' | 'profile_unreadable' | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ClaimsTemplate: ClaimsTemplate;
  readonly ClaimsPreview: ClaimsPreview;
}
