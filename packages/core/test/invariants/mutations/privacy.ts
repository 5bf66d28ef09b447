import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/privacy.db.test.ts'];

export const privacyInvariants: readonly Invariant[] = [
  {
    says: 'An address that is on its list gets no mail.',
    path: 'packages/core/src/messaging/sends/deliver/gates/address-usable.ts',
    find: 'return unusable ?? unusableBy(listed, senderOf(message));',
    replace: 'return unusable;',
    tests,
  },
  {
    says: 'Addresses on the list are compared without their case.',
    path: 'packages/core/src/messaging/suppressions/writes.ts',
    find: 'email: addressKey,',
    replace: 'email: (address) => address,',
    tests,
  },
  {
    says: 'An address that bounced is put on the list.',
    path: 'packages/core/src/messaging/suppressions/reported-addresses.ts',
    find: "bounced: 'bounced_address',",
    replace: '',
    tests,
  },
  {
    says: 'A number that opted out is put on the list.',
    path: 'packages/core/src/messaging/suppressions/reported-addresses.ts',
    find: "opted_out: 'sms_stopped',",
    replace: '',
    tests,
  },
  {
    says: 'Whoever unsubscribed gets no marketing.',
    path: 'packages/core/src/messaging/sends/deliver/gates/subscribed.ts',
    find: 'return isListed || isUnsubscribed;',
    replace: 'return isListed;',
    tests,
  },
  {
    says: 'Whoever unsubscribed gets transactional messages all the same.',
    path: 'packages/core/src/messaging/sends/choices.ts',
    find: `sendClass === 'marketing' &&
`,
    replace: `sendClass !== '' &&
`,
    tests,
  },
  {
    says: 'A category that a person does not want is not sent to them.',
    path: 'packages/core/src/messaging/sends/choices.ts',
    find: '(choices?.get(EVERY_CATEGORY) === false || (category !== null && choices?.get(category) === false))',
    replace: 'choices?.get(EVERY_CATEGORY) === false',
    tests,
  },
  {
    says: 'The link of a mail to an address ends all marketing to the address.',
    path: 'packages/core/src/messaging/subscriptions/subscriptions.ts',
    find: 'address === null || any === null',
    replace: 'address !== null',
    tests,
  },
  {
    says: 'What people wrote is escaped in the HTML of mails.',
    path: 'packages/core/src/messaging/templates/render.ts',
    find: 'text += isEscaped ? escapeHtml(value) : value;',
    replace: 'text += value;',
    tests,
  },
  {
    says: 'Erasing a person takes kept answers that name them along.',
    path: 'packages/core/src/platform/idempotency/idempotency.ts',
    find: 'for (const row of matching) await store.forget(row);',
    replace: '',
    tests,
  },
  {
    says: 'Erasing a person takes those along who they were before they were known.',
    path: 'packages/core/src/people/profiles/erase.ts',
    find: '...anonymous.map(anonymousPerson)',
    replace: '',
    tests,
  },
  {
    says: 'Erasing a person takes what other systems were to be told of them along.',
    path: 'packages/core/src/webhooks/history/store.ts',
    find: '...(people.length === 0 ? [] : [inArray(b.person, [...people])]),',
    replace: '',
    tests,
  },
  {
    says: 'A send to others as well goes on without the person who was erased.',
    path: 'packages/core/src/messaging/sends/erase/erase.ts',
    find: ' || (await eraseWaiting(person))',
    replace: '',
    tests,
  },
];
