import type { Mutant } from '../../test/mutant.ts';

const GUARD = ['packages/core/src/beckon.db.test.ts'];
const SCOPES = ['packages/core/src/tenancy/'];

/** Rules of scopes, for `npm run campaign -- mutants tenancy`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a scope that somebody made up is refused',
    file: 'guard.ts',
    find: 'isOurs(scope) ? call(scope, ...rest) : Promise.reject(madeUp(name))',
    replace: 'call(scope, ...rest)',
    tests: GUARD,
  },
  {
    says: 'a refused scope rejects and does not throw',
    file: 'guard.ts',
    find: 'Promise.reject(madeUp(name))',
    replace: '(() => { throw madeUp(name); })()',
    tests: GUARD,
  },
  {
    says: 'only the very objects that tenancy handed out are scopes',
    file: 'scope-directory.ts',
    find: 'value !== null && ours.has(value)',
    replace: "value !== null && ('scopeId' in value || 'projectKey' in value)",
    tests: GUARD,
  },
  {
    says: 'scopes that tenancy handed out are taken',
    file: 'scope-directory.ts',
    find: '    ours.add(scope);\n',
    replace: '',
    tests: GUARD,
  },
  {
    says: 'a scope cannot be changed',
    file: 'scope-directory.ts',
    find: 'Object.freeze(names)',
    replace: 'names',
    tests: SCOPES,
  },
  {
    says: 'a scope that was read is not read again',
    file: 'scope-directory.ts',
    find: '    byName.set(scopeName(scope), scope);\n',
    replace: '',
    tests: SCOPES,
  },
  {
    says: 'a number that no scope has is an error',
    file: 'scope-directory.ts',
    find: 'if (!scope) throw new Error(`no scope has the number ${scopeId}`);',
    replace: '',
    tests: SCOPES,
  },
  {
    says: 'a rotation gives an org a new data key',
    file: 'keyring.ts',
    find: 'if (newest && orgId !== DEPLOYMENT && keyNameOf(newest.wrapped) !== first) {',
    replace: 'if (newest && orgId === "") {',
    tests: SCOPES,
  },
  {
    says: 'a rotation that goes on makes no second new data key',
    file: 'keyring.ts',
    find: ' && keyNameOf(newest.wrapped) !== first) {',
    replace: ') {',
    tests: SCOPES,
  },
  {
    says: 'a rotation keeps what is derived from the deployment',
    file: 'keyring.ts',
    find: 'newest && orgId !== DEPLOYMENT && ',
    replace: 'newest && ',
    tests: SCOPES,
  },
  {
    says: 'a value that was changed during a rotation is not written over',
    file: 'secrets/store.ts',
    find: '...isNamed(key), eq(secrets.sealed, was)',
    replace: '...isNamed(key)',
    tests: SCOPES,
  },
  {
    says: 'a rotation leaves what no key opens',
    file: 'rotation.ts',
    find: 'if (!(error instanceof UnreadableSecret)) throw error;',
    replace: 'throw error;',
    tests: SCOPES,
  },
  {
    says: 'a reader sees keys of its own environment',
    file: 'tenancy.ts',
    find: 'key.environment === reader.environment && ',
    replace: '',
    tests: SCOPES,
  },
  {
    says: 'a reader sees grants that its own cover',
    file: 'tenancy.ts',
    find: 'key.grants.filter((grant) => covers(reader.grants, grant))',
    replace: 'key.grants',
    tests: SCOPES,
  },
  {
    says: 'a grant for all projects of an org covers each of them',
    file: 'access.ts',
    find: 'own.projectId === ALL_PROJECTS || ',
    replace: '',
    tests: SCOPES,
  },
  {
    says: 'secrets of workflows lie under a prefix of their own',
    file: 'secrets/workflow-secrets.ts',
    find: "const PREFIX = 'workflow/';",
    replace: "const PREFIX = '';",
  },
  {
    says: 'a secret fits into a header',
    file: 'secrets/workflow-secrets.ts',
    find: '.refine(isHeaderText',
    replace: '.refine(() => true',
  },
  {
    says: 'a secret has a name that a placeholder can hold',
    file: 'secrets/workflow-secrets.ts',
    find: 'if (!NAME.test(name))',
    replace: 'if (name === null)',
  },
  {
    says: 'the signing secret before signs along',
    file: 'secrets/workflow-secrets.ts',
    find: '? [current, previous.secret] : [current]',
    replace: '? [current] : [current]',
  },
  {
    says: 'the signing secret before stops with its grace',
    file: 'secrets/workflow-secrets.ts',
    find: 'previous && new Date(previous.until) > clock.now()',
    replace: 'previous',
  },
  {
    says: 'without grace the signing secret before stops at once',
    file: 'secrets/workflow-secrets.ts',
    find: 'if (sealedPrevious === null) await inside.removeSecret(previous);',
    replace: 'if (sealedPrevious === null) return;',
  },
];
