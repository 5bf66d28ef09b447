// The audience functions that sending needs. A send stores the audience's id and copies no members. Expansion
// goes through the members in the order of their keys, part by part, and reaches the users who are members at that
// time. Users who join at a place already expanded are not reached.

import { userIdOf } from '../../foundation/person.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Recipients } from './schema.ts';
import type { PeopleText } from './selection.ts';

export type SendAudiences = {
  /** Number of members; every member is counted. Null: the scope has no audience of this id. */
  find(scope: InScope, audienceId: string): Promise<{ readonly members: number } | null>;
  /** False while the audience is still being computed. True also for an audience that does not exist. */
  isReady(scope: InScope, audienceId: string): Promise<boolean>;
  /** User members in key order, after `after`; null: from the first. */
  page(scope: InScope, audienceId: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** The same members as SQL text; absent: members are read page by page. */
  readonly text?: PeopleText;
};

/** For engines without audiences. */
export const noAudiences: SendAudiences = {
  find: async () => null,
  isReady: async () => true,
  page: async () => [],
};

/** Makes members the recipients of a send. Throws nothing. */
export const recipientsOfPeople = (people: readonly string[]): Recipients =>
  people.flatMap((person) => {
    const userId = userIdOf(person);
    return userId === null ? [] : [{ kind: 'user', userId }];
  });
