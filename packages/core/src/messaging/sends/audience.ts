// What sending asks of audiences. A send names one and copies nobody: whoever is a member when the part of the send is made
// that they stand in is reached, and whoever joins behind it is not.

import { userIdOf } from '../../foundation/person.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Recipients } from './schema.ts';
import type { PeopleText } from './selection.ts';

export type SendAudiences = {
  /** How many members it has, of which each is counted; null: the scope has none of this id. */
  find(scope: InScope, audienceId: string): Promise<{ readonly members: number } | null>;
  /** False while somebody who belongs to it may not be among its members; true as well of one that is not there. */
  isReady(scope: InScope, audienceId: string): Promise<boolean>;
  /** Users among its members, in the order of their keys from behind one of them on; null: from the first. */
  page(scope: InScope, audienceId: string, after: string | null, limit: number): Promise<readonly string[]>;
  /** The same people for statements; absent: they are read page by page. */
  readonly text?: PeopleText;
};

/** Of whoever has no audiences. */
export const noAudiences: SendAudiences = {
  find: async () => null,
  isReady: async () => true,
  page: async () => [],
};

/** Members as a send is for them. Throws nothing. */
export const recipientsOfPeople = (people: readonly string[]): Recipients =>
  people.flatMap((person) => {
    const userId = userIdOf(person);
    return userId === null ? [] : [{ kind: 'user', userId }];
  });
