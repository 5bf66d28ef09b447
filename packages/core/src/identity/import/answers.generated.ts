// Made of the schemas in answers.ts by `npm run openapi`.

/** Result of an import of users. It never contains a hash. */
export interface UsersImported {
  /** Rows of the request. */
  readonly total: number;
  /** Users created. */
  readonly imported: number;
  /** Users updated. */
  readonly updated: number;
  /** Rows whose user exists. */
  readonly skipped: number;
  /** Rows that were not imported. */
  readonly failed: number;
  /** One entry per row, in the order of the request. */
  readonly results: readonly ({
    /** Position of the row in the request, from 0. */
    readonly index: number;
    /** What happened to the row. */
    readonly status: 'imported' | 'updated' | 'skipped' | 'failed';
    /** Account id. */
    readonly id?: string | undefined;
    /** userId of the profile. */
    readonly userId?: string | undefined;
    /** Algorithm of the password hash. */
    readonly algorithm?: string | undefined;
    /** For failed rows. */
    readonly error?: {
      /** Why the row was not imported. */
      readonly reason: 'invalid' | 'account_exists' | 'identity_exists' | 'unsupported_hash' | 'hash_over_cap' | 'passkey_exists';
      /** The same in words. */
      readonly message: string;
    } | undefined;
  })[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly UsersImported: UsersImported;
}
