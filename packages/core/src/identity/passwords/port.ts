/** Who a hash is computed for, and how long it may wait. */
export type HashContext = {
  /** Project: projects take turns. */
  readonly projectKey: number;
  /** True for a valid device token: such sign-ins keep a share of the line. */
  readonly isTrustedDevice?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** A place in the line of hashes, taken before any look-up. */
export type HashTicket = { release(): void };

/** The result of a comparison. */
export type Comparison = { readonly isRight: boolean; readonly needsRehash: boolean };

/** Computes and compares password hashes, in threads. */
export type PasswordHasher = {
  /** Takes a place in the line. Throws OVERLOADED with `retryAfterSeconds` 5 to 30 if it is too long. */
  admit(context: HashContext): HashTicket;
  /** Hash of a new password: argon2id. */
  hash(password: string, ticket: HashTicket): Promise<string>;
  /** Null: no account, or none with a password; the work is the same. */
  compare(stored: string | null, password: string, ticket: HashTicket): Promise<Comparison>;
  /** A better hash of a right password, at low priority; undefined under load. */
  rehash(password: string, context: HashContext): Promise<string | undefined>;
  close(): Promise<void>;
};
