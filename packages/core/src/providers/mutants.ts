import type { Mutant } from '../../test/mutant.ts';

const CIRCUIT = ['packages/core/src/providers/circuit.test.ts'];
const CREDENTIALS = ['packages/core/src/providers/credentials.db.test.ts'];
const OWN = ['packages/core/src/providers/own-transports.db.test.ts'];

/** Rules of credentials, circuits and a host's own transports, for `npm run mutants -- providers`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'of several providers the first that may go is chosen',
    file: 'connections.ts',
    find: 'return credentials[waits.indexOf(Math.min(...waits))];',
    replace: 'return credentials[0];',
    tests: ['packages/core/src/sending/deliver/fallback.db.test.ts'],
  },
  {
    says: "a project's list leaves out providers that it does not name",
    file: 'order.ts',
    find: 'names.length === 0',
    replace: 'names.length >= 0',
    tests: ['packages/core/src/providers/order.test.ts'],
  },
  {
    says: 'credentials are refused for what the host serves',
    file: 'own-transports.ts',
    find: 'if (taken.length > 0)',
    replace: 'if (taken.length > 3)',
    tests: OWN,
  },
  {
    says: 'credentials of what the host serves may be removed',
    file: 'own-transports.ts',
    find: '(Reflect.get(given, provider) ?? null) !== null',
    replace: 'Reflect.has(given, provider)',
    tests: OWN,
  },
  {
    says: 'settings of test show what is stored, not the transport of the host',
    file: 'own-transports.ts',
    find: "if (scope.environment === 'test') return states;",
    replace: '',
    tests: OWN,
  },
  {
    says: 'credentials of test may be written where the host serves prod',
    file: 'own-transports.ts',
    find: "scope.environment === 'test' || typeof body",
    replace: 'typeof body',
    tests: OWN,
  },
  {
    says: 'a test of settings in test asks the sandbox and not the host',
    file: 'own-transports.ts',
    find: "scope.environment === 'test' ? [] : ownOf(channel)",
    replace: 'ownOf(channel)',
    tests: OWN,
  },
  {
    says: 'health counts what the host sends under the name that it gave',
    file: 'own-transports.ts',
    find: 'slots.get(provider)?.name ?? provider',
    replace: 'provider',
    tests: OWN,
  },
  {
    says: 'a test of settings asks the other providers of the channel, too',
    file: 'own-transports.ts',
    find: 'if (others.length === 0) return { results };',
    replace: 'if (others.length >= 0) return { results };',
    tests: OWN,
  },
  {
    says: 'health shows the open circuit of what the host serves',
    file: 'own-transports.ts',
    find: '...ownOf(key.channel).flatMap((provider) => knownOf(key, provider).circuit ?? []),',
    replace: '',
    tests: OWN,
  },
  {
    says: 'a circuit stays open longer each time',
    file: 'circuit.ts',
    find: 'openings += 1;',
    replace: '',
    tests: CIRCUIT,
  },
  {
    says: 'while one message is away to see, no other goes',
    file: 'circuit.ts',
    find: 'isProbing = true;',
    replace: '',
    tests: CIRCUIT,
  },
  {
    says: 'a timeout does not close a circuit',
    file: 'circuit.ts',
    find: "isProbe && (isOpenForDark || outcome.result !== 'retry') ? close() : null",
    replace: 'isProbe ? close() : null',
    tests: CIRCUIT,
  },
  {
    says: 'any answer closes the circuit of a provider that gave none',
    file: 'circuit.ts',
    find: "isProbe && (isOpenForDark || outcome.result !== 'retry') ? close() : null",
    replace: "isProbe && outcome.result !== 'retry' ? close() : null",
    tests: CIRCUIT,
  },
  {
    says: 'one call without an answer opens no circuit',
    file: 'circuit.ts',
    find: '|| darkInARow < DARK_IN_A_ROW',
    replace: '',
    tests: CIRCUIT,
  },
  {
    says: 'the only provider is tried for as long as its messages live',
    file: 'circuit.ts',
    find: '|| !isCovered ',
    replace: '',
    tests: CIRCUIT,
  },
  {
    says: 'an answer ends the row of calls without one',
    file: 'circuit.ts',
    find: 'darkInARow = 0;\n      // That',
    replace: '// That',
    tests: CIRCUIT,
  },
  {
    says: 'a credential is never read back, but for what it is called',
    file: 'credentials.ts',
    find: 'lastFour: row?.lastFour ?? null,',
    replace: 'lastFour: row?.lastFour ?? null, sealed: row?.sealed ?? null,',
    tests: CREDENTIALS,
  },
  {
    says: 'credentials that do not open refuse what is sent with them',
    file: 'credentials.ts',
    find: "'credentials are unreadable',\n      );\n      return null;",
    replace: "'credentials are unreadable',\n      );\n      throw error;",
    tests: CREDENTIALS,
  },
  {
    says: 'credentials are read again after a write whose answer was lost',
    file: 'credentials.ts',
    find: 'known.forget();',
    replace: '',
    tests: CREDENTIALS,
  },
];
