// Made of the schemas in answers.ts by `npm run openapi`.

/** A directory of an identity provider, which provisions users by SCIM. */
export interface ScimDirectory {
  /** Id of the directory. */
  readonly id: string;
  /** Name of the directory. */
  readonly name: string;
  /** SSO connection with which its users sign in; null: none is named. */
  readonly connectionId: string | null;
  /** Base URL to enter at the identity provider; null if publicUrl is not set. */
  readonly baseUrl: string | null;
  /** When the directory was created. */
  readonly createdAt: Date;
  /** When the directory last changed. */
  readonly updatedAt: Date;
}

/** Result of deleting a directory. */
export interface ScimDirectoryDeleted {
  /** The directory and its tokens are gone. */
  readonly deleted: true;
}

/** A token of a directory. The token itself is returned once, when it is created. */
export interface ScimToken {
  /** Id of the token. */
  readonly id: string;
  /** Directory that the token gives access to. */
  readonly directoryId: string;
  /** Last four characters of the token. */
  readonly last4: string;
  /** When the token was created. */
  readonly createdAt: Date;
  /** When the token expires. */
  readonly expiresAt: Date;
  /** When the token was last used, to the hour; null: never. */
  readonly lastUsedAt: Date | null;
}

/** A new token of a directory. */
export interface NewScimToken extends ScimToken {
  /** The token, for the header Authorization. It is shown once. */
  readonly token: string;
}

/** Result of deleting a token. */
export interface ScimTokenDeleted {
  /** The token no longer works. */
  readonly deleted: true;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ScimDirectory: ScimDirectory;
  readonly ScimDirectoryDeleted: ScimDirectoryDeleted;
  readonly ScimToken: ScimToken;
  readonly NewScimToken: NewScimToken;
  readonly ScimTokenDeleted: ScimTokenDeleted;
}
