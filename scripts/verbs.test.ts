// One noun and one verb for one thing, in the library, the HTTP API, the server client and the command line.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, createBeckon } from '../packages/core/src/index.ts';
import { openApiFile } from '../packages/http/test/support/openapi/kept.ts';
import { methods } from '../packages/sdk-js/src/node/methods.ts';
import { type Command, programTree } from './cli-reference.ts';

/** The route of each method of the server client, by the name that the library has for it. */
type Routes = ReadonlyMap<string, readonly string[]>;
type Tree = { readonly [name: string]: string | Tree };

const CHANNELS = ['push', 'email', 'sms'];

/** The library takes the channel as an argument; the server client has it in the path: `email.sends.list` is `sends.list`. */
const withoutChannel = (path: readonly string[]): readonly string[] => {
  const [first = '', second = '', ...rest] = path;
  if (!CHANNELS.includes(first) || rest.length === 0) return path;
  return [second === 'domains' ? 'emailDomains' : second, ...rest];
};

const leaves = (tree: Tree, path: readonly string[] = []): (readonly [readonly string[], string])[] =>
  Object.entries(tree).flatMap(([name, node]) =>
    typeof node === 'string' ? [[[...path, name], node] as const] : leaves(node, [...path, name]),
  );

const routesOf = (): Routes => {
  const named = leaves(methods).map(([path, route]) => [withoutChannel(path).join('.'), route] as const);
  const grouped = Map.groupBy(named, ([name]) => name);
  return new Map([...grouped].map(([name, rows]) => [name, rows.map(([, route]) => route)]));
};

const coreNames = (beckon: Beckon): ReadonlySet<string> =>
  new Set(
    Object.entries(beckon).flatMap(([group, api]) =>
      typeof api === 'object' && api !== null ? Object.keys(api).map((name) => `${group}.${name}`) : [],
    ),
  );

const camel = (text: string): string => text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Nouns of the command line that the library writes differently. */
const NOUNS: Readonly<Record<string, string>> = { domains: 'emailDomains', admin: 'operators' };

/** `noun.verb` of commands; `show` of the command line is `get`, because it prints. */
const cliNames = (program: Command): string[] =>
  program.commands.flatMap((group) =>
    group.commands.map((command) => {
      const [noun, verb] = [camel(group.name()), camel(command.name())];
      return `${NOUNS[noun] ?? noun}.${verb === 'show' ? 'get' : verb}`;
    }),
  );

/** Methods of the server client that are not functions of the library. */
const SDK_EXCEPTIONS: Readonly<Record<string, string>> = {
  'keys.list': 'tenancy.listKeys: the library has organizations, projects and keys in one group',
  openApi: 'the description of the HTTP API',
  alive: 'a probe of the HTTP server; health() in the library',
  ready: 'a probe of the HTTP server; health() in the library',
};

/** Commands that are not functions of the library. */
const CLI_EXCEPTIONS: Readonly<Record<string, string>> = {
  'auth.keys': 'auth.listSigningKeys, and with --rotate auth.rotateSigningKey',
  'auth.scim': 'nouns of the directories and tokens of auth.listScimDirectories and auth.listScimTokens',
  'auth.sso': 'a noun of auth.createSsoConnection and its siblings',
  'auth.claims': 'a noun of auth.getClaimsTemplate, updateClaimsTemplate, deleteClaimsTemplate and previewClaims',
  'auth.social': 'a noun of auth.listSocialProviders, auth.updateSocialProvider and auth.deleteSocialProvider',
  'users.mfaReset': 'users.resetMfa',
  'operators.loginLink': 'operators.createLoginLink',
  'auth.settings': 'auth.getSettings, and with a file auth.updateSettings',
  'workflows.schema': 'prints a file of the package',
  ...Object.fromEntries(
    ['orgs.create', 'orgs.list', 'projects.create', 'projects.list', 'keys.create', 'keys.list', 'keys.revoke'].map(
      (name) => [name, 'tenancy: the library has organizations, projects and keys in one group'],
    ),
  ),
  ...Object.fromEntries(['orgs.get', 'orgs.update'].map((name) => [name, 'plans and limits of an organization'])),
  ...Object.fromEntries(
    ['migrate.status', 'migrate.up', 'migrate.check'].map((name) => [name, 'works on the database without a Beckon']),
  ),
  ...Object.fromEntries(
    ['providers.list', 'providers.add', 'providers.order', 'providers.remove', 'providers.test'].map((name) => [
      name,
      'a set of providers within the settings of a channel',
    ]),
  ),
  'settings.set': 'changes one setting by its path; settings.update takes an object',
  ...Object.fromEntries(
    ['bundle.export', 'bundle.validate', 'bundle.diff', 'bundle.import'].map((name) => [
      name,
      'a file of several workflows: workflows.exportBundle and importBundle',
    ]),
  ),
  ...Object.fromEntries(
    [
      ...['workflows.test', 'workflows.enable', 'workflows.disable', 'abTests.pause', 'abTests.resume'],
      ...['users.disable', 'users.enable'],
    ].map((name) => [name, 'a shorthand of update or simulate']),
  ),
  ...Object.fromEntries(
    ['templates.pull', 'templates.push', 'templates.diff'].map((name) => [name, 'compares templates with a folder']),
  ),
  'secrets.rotateMaster': 'secrets.rotateMasterKey',
  'events.tail': 'follows events.list',
  'profiles.subscriptions': 'subscriptions.get, or with --on and --off subscriptions.update',
  'audiences.import': 'addMembers with the rows of a file',
  'audiences.export': 'writes all members to a file',
  ...Object.fromEntries(
    ['send.test', 'send.push', 'send.email', 'send.sms'].map((name) => [name, 'push.send, email.send and sms.send']),
  ),
  'sends.explain': 'sends.message of one message',
  'suppressions.import': 'suppressions.add with the rows of a file',
  'callbacks.secrets': 'a set of secrets within the settings of email',
  'webhooks.listen': 'receives webhooks on this machine',
  'types.generate': 'generates a file',
};

/** Synonyms of list, get, create, update and delete. */
const SYNONYMS = /^(fetch|find|read|show|insert|make|new|put|patch|replace|save|edit|change|destroy|drop)([A-Z]|$)/;
/** Verbs with one meaning each, and the functions that have them. */
const SPECIAL: Readonly<Record<string, { readonly reason: string; readonly names: readonly string[] }>> = {
  set: { reason: 'creates or replaces a value by its name', names: ['secrets.set', 'plans.set'] },
  erase: {
    reason: 'erases a user from all tables, later; a delete is done when it answers',
    names: ['profiles.erase'],
  },
  register: { reason: 'a device repeats it for the same token', names: ['tokens.register'] },
};
/** Functions with a synonym, each with its reason. */
const SYNONYM_EXCEPTIONS: Readonly<Record<string, string>> = {
  'auth.changeEmail': 'requests a change that the new address must confirm',
  'auth.changePassword': 'needs the present password, and ends other sessions',
  'subscriptions.changeByLink': 'acts for the recipient whose signed link it takes, not for a named user',
};

/** HTTP methods of a verb; other verbs are actions, which are a POST, or reads by their own name. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  list: ['GET'],
  get: ['GET'],
  create: ['POST'],
  update: ['PATCH', 'PUT'],
  set: ['PUT'],
  delete: ['DELETE'],
  erase: ['DELETE'],
  add: ['POST'],
  remove: ['POST'],
  register: ['POST'],
};

describe('nouns and verbs', () => {
  const program = programTree();
  const routes = routesOf();
  let beckon: Beckon;
  let core: ReadonlySet<string>;
  beforeAll(async () => {
    beckon = await createBeckon({ db: 'sqlite::memory:' });
    core = coreNames(beckon);
  });
  afterAll(() => beckon.close());

  const verbOf = (name: string): string => name.slice(name.indexOf('.') + 1);
  const deviating = (names: Iterable<string>): string[] => [...names].filter((name) => !core.has(name)).toSorted();

  it('a method of the server client is a function of the library with the same noun and verb', () => {
    expect(deviating(routes.keys())).toEqual(Object.keys(SDK_EXCEPTIONS).toSorted());
  });

  it('a command is a function of the library with the same noun and verb, except shorthands and work with files', () => {
    const names = cliNames(program);
    expect(deviating(new Set(names))).toEqual(Object.keys(CLI_EXCEPTIONS).toSorted());
    expect(names.length).toBeGreaterThan(90);
  });

  it('list, get, create, update and delete have no synonyms', () => {
    const names = [...core, ...routes.keys()].filter((name) => SYNONYMS.test(verbOf(name)));
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(SYNONYM_EXCEPTIONS).toSorted());
  });

  it.each(Object.entries(SPECIAL))('the verb %s has one meaning', (verb, { names }) => {
    expect([...core].filter((name) => verbOf(name) === verb).toSorted()).toEqual([...names].toSorted());
  });

  it('remove is the opposite of add, for members of a set', () => {
    const removing = [...core].filter((name) => /^remove([A-Z]|$)/.test(verbOf(name)));
    expect(removing.toSorted()).toEqual(['audiences.removeMembers', 'suppressions.remove']);
    for (const name of removing) expect([...core]).toContain(name.replace('.remove', '.add'));
  });

  it('the HTTP method and the operation id of a route fit the verb', () => {
    const document: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
      readFileSync(openApiFile, 'utf8'),
    );
    const wrong: string[] = [];
    for (const [name, [...all]] of routes)
      for (const route of all) {
        const [method = '', path = ''] = route.split(' ');
        const item = document.paths[`/api/v1${path}`] ?? document.paths[path];
        const operationId = item?.[method.toLowerCase()]?.operationId ?? '';
        const isMethodOfVerb = METHODS[verbOf(name).replace(/Members$/, '')]?.includes(method) ?? true;
        if (!isMethodOfVerb || !operationId.startsWith(method.toLowerCase()))
          wrong.push(`${name}: ${route}, ${operationId}`);
      }
    expect(wrong).toEqual([]);
  });
});
