// Made of the schemas in answers.ts by `npm run openapi`.

/** A requested erasure. */
export interface ErasureRequested {
  /** Id of the erasure. */
  readonly erasureId: string;
}

/** An erasure of a user; it does not name the user. */
export interface Erasure {
  /** Id of the erasure. */
  readonly id: string;
  /** Whether everything was erased. */
  readonly status: 'pending' | 'done';
  /** When the erasure was requested. */
  readonly createdAt: Date;
  /** When everything was erased; null before that. */
  readonly finishedAt: Date | null;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly ErasureRequested: ErasureRequested;
  readonly Erasure: Erasure;
}
