import type { Invariant } from '../invariant.ts';

const tests = ['packages/core/test/invariants/webhooks.db.test.ts'];

export const webhooksInvariants: readonly Invariant[] = [
  {
    says: 'A webhook is signed over the moment of its attempt.',
    path: 'packages/core/src/webhooks/sign.ts',
    find: `const start = \`\${id}.\${seconds}.\`;`,
    replace: `const start = \`\${id}.\`;`,
    tests,
  },
  {
    says: 'Both secrets sign while one replaces the other.',
    path: 'packages/core/src/webhooks/sealed.ts',
    find: 'previous.untilMs > now.getTime() ? both : newest',
    replace: 'previous.untilMs > now.getTime() ? newest : newest',
    tests,
  },
  {
    says: 'A secret that was replaced stops signing when its time is over.',
    path: 'packages/core/src/webhooks/sealed.ts',
    find: 'previous.untilMs > now.getTime() ? both : newest',
    replace: 'both',
    tests,
  },
  {
    says: 'A webhook that fails comes again by the schedule.',
    path: 'packages/core/src/webhooks/schedule.ts',
    find: 'WAITS_MS[attempts - 1]',
    replace: 'WAITS_MS[attempts]',
    tests,
  },
  {
    says: 'A webhook that is refused with 429 comes again.',
    path: 'packages/core/src/webhooks/post.ts',
    find: 'const RETRIED = new Set([408, 429]);',
    replace: 'const RETRIED = new Set([408]);',
    tests,
  },
  {
    says: 'A redirect is no success of a webhook.',
    path: 'packages/core/src/webhooks/post.ts',
    find: 'status >= 200 && status < 300',
    replace: 'status >= 200 && status < 400',
    tests,
  },
  {
    says: 'A receiver that answers 410 is told nothing more.',
    path: 'packages/core/src/webhooks/deliver/outcome.ts',
    find: "if (isGone) return 'gone';",
    replace: '',
    tests,
  },
  {
    says: 'A webhook leads to no private address.',
    path: 'packages/core/src/webhooks/webhooks.ts',
    find: 'isPulled ? null : urlProblem(url, urls)',
    replace: 'null',
    tests,
  },
  {
    says: 'A delivery that is on its way cannot be replayed.',
    path: 'packages/core/src/webhooks/history/store.ts',
    find: '.where(and(byId(scope, id), inArray(t.status, [...FINISHED])))',
    replace: '.where(byId(scope, id))',
    tests,
  },
];
