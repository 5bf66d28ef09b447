import type { Mutant } from '../../../test/mutant.ts';

const SMTP = ['packages/core/src/transports/smtp/smtp.test.ts'];

/** Rules of mail servers, for `npm run campaign -- mutants transports`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'an address beyond ASCII is shown only to a server that takes it',
    file: 'smtp.ts',
    find: '    if (refused) return refused;\n',
    replace: '',
    tests: SMTP,
  },
  {
    says: 'a subject that looks encoded is encoded',
    file: 'mail.ts',
    find: 'looksEncoded(subject) || ',
    replace: '',
    tests: SMTP,
  },
  {
    says: 'a file name that looks encoded is encoded',
    file: 'mail.ts',
    find: '  looksEncoded(filename)\n',
    replace: '  !filename\n',
    tests: SMTP,
  },
  {
    says: 'a full mailbox is not a mail that is too large',
    file: 'outcome.ts',
    find: 'return failed(code, codeText(code, text) ?? SIZE);',
    replace: 'return failed(code, SIZE);',
    tests: SMTP,
  },
  {
    says: 'a mail with a part that may not be encoded is not sent',
    file: 'mail.ts',
    find: 'isFileType(contentType))',
    replace: 'contentType)',
    tests: SMTP,
  },
  {
    says: 'a domain beyond ASCII needs no server with SMTPUTF8',
    file: 'mail.ts',
    find: String.raw`/[^\0-\x7f].*@/`,
    replace: String.raw`/[^\0-\x7f]/`,
    tests: SMTP,
  },
  {
    says: 'a server that goes away counts as one that does not answer',
    file: 'outcome.ts',
    find: 'const CLOSING = 421;',
    replace: 'const CLOSING = 0;',
    tests: ['packages/core/src/transports/smtp/relay.test.ts'],
  },
  {
    says: 'the first word of a header stands on the line of its name',
    file: 'fold.ts',
    find: '  let line = name + first;',
    replace: String.raw`  let line = name + '\r\n' + first;`,
    tests: ['packages/core/src/transports/smtp/fold.test.ts'],
  },
  {
    says: 'a password in clear text stays on this machine',
    file: 'settings.ts',
    find: '(user === undefined || loopbackRules.allows(address))',
    replace: 'true',
    tests: ['packages/core/src/transports/smtp/settings.test.ts'],
  },
  {
    says: 'a mail that is refused for now waits for longer than servers greylist',
    file: 'outcome.ts',
    find: '      ...waitOf(step, replyCode, attempt),\n',
    replace: '',
    tests: ['packages/core/src/transports/smtp/outcome.test.ts'],
  },
];
