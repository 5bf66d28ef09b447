import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/privacy.db.test.ts'];

export const privacyInvariants: readonly Invariant[] = [
  {
    says: 'A suppressed address gets no email.',
    path: 'packages/core/src/messaging/sends/deliver/gates/address-usable.ts',
    find: 'return unusable ?? unusableBy(listed, senderOf(message));',
    replace: 'return unusable;',
    tests,
  },
  {
    says: 'Suppressed addresses are compared case-insensitively.',
    path: 'packages/core/src/messaging/suppressions/writes.ts',
    find: 'email: addressKey,',
    replace: 'email: (address) => address,',
    tests,
  },
  {
    says: 'A bounced address is suppressed.',
    path: 'packages/core/src/messaging/suppressions/reported-addresses.ts',
    find: "bounced: 'bounced_address',",
    replace: '',
    tests,
  },
  {
    says: 'A number that opted out is suppressed.',
    path: 'packages/core/src/messaging/suppressions/reported-addresses.ts',
    find: "opted_out: 'sms_stopped',",
    replace: '',
    tests,
  },
  {
    says: 'An unsubscribed user gets no marketing.',
    path: 'packages/core/src/messaging/sends/deliver/gates/subscribed.ts',
    find: 'return isListed || isUnsubscribed;',
    replace: 'return isListed;',
    tests,
  },
  {
    says: 'An unsubscribed user still gets transactional messages.',
    path: 'packages/core/src/messaging/sends/choices.ts',
    find: `sendClass === 'marketing' &&
`,
    replace: `sendClass !== '' &&
`,
    tests,
  },
  {
    says: 'A user gets no messages of a category that they opted out of.',
    path: 'packages/core/src/messaging/sends/choices.ts',
    find: '(choices?.get(EVERY_CATEGORY) === false || (category !== null && choices?.get(category) === false))',
    replace: 'choices?.get(EVERY_CATEGORY) === false',
    tests,
  },
  {
    says: 'The unsubscribe link of an email to an address stops all marketing to the address.',
    path: 'packages/core/src/messaging/subscriptions/subscriptions.ts',
    find: 'address === null || any === null',
    replace: 'address !== null',
    tests,
  },
  {
    says: 'Values of users are escaped in the HTML of emails.',
    path: 'packages/core/src/messaging/templates/render.ts',
    find: 'text += isEscaped ? escapeHtml(value) : value;',
    replace: 'text += value;',
    tests,
  },
  {
    says: 'Erasure deletes stored idempotent responses about the user.',
    path: 'packages/core/src/platform/idempotency/idempotency.ts',
    find: 'for (const row of matching) await store.forget(row);',
    replace: '',
    tests,
  },
  {
    says: "Erasure includes the user's anonymous profiles.",
    path: 'packages/core/src/people/profiles/erase.ts',
    find: '...anonymous.map(anonymousPerson)',
    replace: '',
    tests,
  },
  {
    says: 'Erasure deletes webhook deliveries about the user.',
    path: 'packages/core/src/webhooks/history/store.ts',
    find: '...(people.length === 0 ? [] : [inArray(b.person, [...people])]),',
    replace: '',
    tests,
  },
  {
    says: 'A send to several users continues without an erased one.',
    path: 'packages/core/src/messaging/sends/erase/erase.ts',
    find: ' || (await eraseWaiting(person))',
    replace: '',
    tests,
  },
];
