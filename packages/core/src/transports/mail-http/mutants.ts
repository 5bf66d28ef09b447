import type { Mutant } from '../../../test/mutant.ts';

const TESTS = ['packages/core/src/transports/mail-http/providers.test.ts'];

/** Rules of providers that take mail over HTTP, for `npm run campaign -- mutants transports`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a mail that could be read in two ways is not sent',
    file: 'transport.ts',
    find: '    if (!isSafe(message)) return UNSAFE_MAIL;\n',
    replace: '',
    tests: TESTS,
  },
  {
    says: 'settings with a fault make no request',
    file: 'transport.ts',
    find: 'check(settings).length === 0 ? apiOf(settings) : null',
    replace: 'apiOf(settings)',
    tests: TESTS,
  },
  {
    says: 'a copy goes to its envelope, not to whom its header names',
    file: 'parts.ts',
    find: 'envelope.to === to.email ? to : { email: envelope.to, name: null }',
    replace: 'to',
    tests: TESTS,
  },
  {
    says: 'an error of a provider may have come after it took the mail',
    file: 'outcome.ts',
    find: "status < 500 ? 'failed' : 'unknown'",
    replace: "status < 500 ? 'failed' : 'busy'",
    tests: TESTS,
  },
  {
    says: 'domains of addresses are ASCII',
    file: 'parts.ts',
    find: 'domainToASCII(email.slice(at + 1)) || email.slice(at + 1)',
    replace: 'email.slice(at + 1)',
    tests: TESTS,
  },
];
