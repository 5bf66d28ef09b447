import type { ListQuery } from '../../foundation/page.ts';
import type { AccountSource } from '../accounts/sources.ts';

/** Which users to list. */
export type UserQuery = ListQuery & {
  readonly email?: string | undefined;
  readonly userId?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly source?: AccountSource | undefined;
};
