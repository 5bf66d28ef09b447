import type { Mutant } from '../../../test/mutant.ts';

const REPORTS = ['packages/core/src/sending/track/delivery-report.db.test.ts'];

/** Rules of what providers report, for `npm run campaign -- mutants sending`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a complaint or a bounce is heard of a mail that was given up',
    file: 'judge-report.ts',
    find: "row.channel === 'email' &&\n  status === 'failed' &&",
    replace: 'false &&',
    tests: REPORTS,
  },
  {
    says: 'a mail that came back after it was given up counts as bounced',
    file: 'delivery-report.ts',
    find: "before.status !== 'bounced' && status === 'bounced'",
    replace: "moved < 0 && status === 'bounced'",
    tests: REPORTS,
  },
  {
    says: 'a bounce is not told twice',
    file: 'judge-report.ts',
    find: "if (status === 'bounced') return 'ignored';",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a bounce that is final and not about the address ends a mail that was sent',
    file: 'judge-report.ts',
    find: "if (reported.isFinal && status === 'sent')",
    replace: "if (reported.isFinal && status !== 'sent')",
    tests: REPORTS,
  },
  {
    says: 'a receipt never overrides a bounce',
    file: 'judge-report.ts',
    find: "if (standing.deliveredAt !== null || standing.status !== 'sent') return 'ignored';",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a text that was delivered does not fail any more',
    file: 'judge-report.ts',
    find: "if (status !== 'sent') return 'ignored';",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a report about a message in hand comes early',
    file: 'judge-report.ts',
    find: "if (IN_HAND.has(status)) return 'early';",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a complaint counts once',
    file: 'judge-report.ts',
    find: "if (standing.complainedAt !== null) return 'ignored';",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a report is about a message of its channel',
    file: 'delivery-report.ts',
    find: 'one?.row.channel === channel ? one : null',
    replace: 'one ?? null',
    tests: REPORTS,
  },
  {
    says: 'a moment is never before its message, or to come',
    file: 'delivery-report.ts',
    find: 'new Date(Math.min(Math.max(at.getTime(), createdAt.getTime()), now.getTime()))',
    replace: 'at',
    tests: REPORTS,
  },
  {
    says: 'a bounce after a receipt takes the receipt out of the counts',
    file: 'delivery-report.ts',
    find: 'if (moved < 0 && deliveredAt !== null) row.delivered -= 1;',
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a report settles a text that is in hand',
    file: 'judge-report.ts',
    find: "|| (standing.row.channel === 'sms' && standing.status === 'sending')",
    replace: '',
    tests: REPORTS,
  },
  {
    says: 'a report puts right what was only assumed of a text',
    file: 'judge-report.ts',
    find: 'const isUnheard = isAmbiguous(standing) ||',
    replace: 'const isUnheard =',
    tests: ['packages/core/src/sms/callbacks/callbacks.db.test.ts'],
  },
  {
    says: 'the send of a text that its provider had after all is sent',
    file: 'delivery-report.ts',
    find: '...sentAfterAll(recovered),',
    replace: '',
    tests: ['packages/core/src/sms/callbacks/callbacks.db.test.ts'],
  },
];
