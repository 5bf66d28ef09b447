import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { IdempotencyOptions } from '../../platform/idempotency/api.ts';
import type { UsersImported } from './answers.generated.ts';
import type { importBody, importRow } from './bodies.ts';

export type UsersImportInput = Frozen<z.input<typeof importBody>>;
/** One user of an import or an export. */
export type PortableUser = Frozen<z.input<typeof importRow>>;

/** Options of an import. `actor`: `key:` and the id of a secret key; default `system`. */
export type UsersImportOptions = IdempotencyOptions & { readonly actor?: string | undefined };

/** A part of an export. */
export type UsersExport = {
  readonly users: readonly PortableUser[];
  /** Pass it as `after` to get the next part; null: this was the last one. */
  readonly next: string | null;
};

export type UsersImportApi = {
  /**
   * Imports 1 to 1,000 users with their password hashes. A row that is not valid fails alone; rows are committed by 100.
   * Importing the same rows again gives the same users. Throws VALIDATION_ERROR, and the errors of IdempotencyOptions.
   */
  import(scope: Scope, input: UsersImportInput, options?: UsersImportOptions): Promise<UsersImported>;
  /**
   * Users in the order of their ids, with everything that an import reads: password hashes and other secrets. Guests are
   * left out. `limit`: 1 to 1,000, default 500. Throws VALIDATION_ERROR.
   */
  export(
    scope: Scope,
    query?: {
      readonly after?: string | undefined;
      readonly limit?: number | undefined;
      readonly actor?: string | undefined;
    },
  ): Promise<UsersExport>;
};
