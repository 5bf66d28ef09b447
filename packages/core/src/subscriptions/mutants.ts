import type { Mutant } from '../../test/mutant.ts';

const CHOICES = ['packages/core/src/subscriptions/subscriptions.db.test.ts'];

/** Rules of what people chose to get, for `npm run campaign -- mutants subscriptions`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a link without a category also ends what comes to its address',
    file: 'subscriptions.ts',
    find: 'address === null || any === null',
    replace: 'address !== null',
    tests: CHOICES,
  },
  {
    says: 'of an address without a user there is no category',
    file: 'subscriptions.ts',
    find: 'const about = person === null ? null : category;',
    replace: 'const about = category;',
    tests: CHOICES,
  },
  {
    says: 'nobody chooses what the page does not show',
    file: 'subscriptions.ts',
    find: 'new Map(page.categories.map(({ name }) => [name, chosen.has(name)]))',
    replace: 'new Map([...chosen].map((name) => [name, true]))',
    tests: CHOICES,
  },
  {
    says: 'an operator who subscribes a user takes their addresses off the list',
    file: 'subscriptions.ts',
    find: 'parsed.data.email?.subscribed === true ? addressesOf(profile) : []',
    replace: '[]',
    tests: CHOICES,
  },
  {
    says: 'choices are of users that there are',
    file: 'subscriptions.ts',
    find: "if (!profile) throw notFound('profile of this userId', scope);",
    replace: '',
    tests: CHOICES,
  },
  {
    says: 'a message notes that somebody left by it',
    file: 'subscriptions.ts',
    find: '...(isLeaving ? [unsubscribing.mark(recipient, at)] : []),',
    replace: '',
    tests: CHOICES,
  },
  {
    says: 'null forgets a choice',
    file: 'subscriptions.ts',
    find: 'return isSubscribed === null',
    replace: 'return isSubscribed === undefined',
    tests: CHOICES,
  },
];
