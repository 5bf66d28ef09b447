import {
  type Asked,
  type Beckon,
  type CallsApi,
  type Grant,
  type KeyScope,
  notFound,
  type Principal,
  resolveScope,
} from '@beckon/core';

export const ORG_A = '0197a000-0000-7000-8000-00000000000a';
export const ORG_B = '0197a000-0000-7000-8000-00000000000b';
export const PROJECT_1 = '0197a000-0000-7000-8000-000000000001';
export const PROJECT_2 = '0197a000-0000-7000-8000-000000000002';
export const EVENT_ID = '0197a000-0000-7000-8000-0000000000e1';

const SECRET_SCOPES: readonly KeyScope[] = [
  'events.write',
  'tokens:write',
  'push:read',
  'email:read',
  'sms:read',
  'push:send',
  'email:send',
  'sms:send',
  'push:write',
  'email:write',
  'sms:write',
  'profiles:read',
  'profiles:write',
  'audiences:read',
  'audiences:write',
  'workflows:read',
  'workflows:write',
  'webhooks:read',
  'webhooks:write',
  'keys:read',
  'analytics:read',
  'auth:read',
  'auth:write',
];

/** The principal of a key, for tests. Default: a secret key of one organization and one project. */
export const principal = (change: Partial<Principal> = {}): Principal => ({
  keyId: 'key-1',
  kind: 'secret',
  environment: 'prod',
  scopes: new Set(SECRET_SCOPES),
  grants: [{ orgId: ORG_A, projectId: PROJECT_1 }],
  ...change,
});

export const grant = (orgId: string, projectId: string): Grant => ({ orgId, projectId });

/** Keys of every fake. */
export const KEYS: Readonly<Record<string, Principal>> = {
  sk_prod_one: principal(),
  sk_test_one: principal({ environment: 'test' }),
  pk_prod_one: principal({ kind: 'public', scopes: new Set<KeyScope>(['events.write', 'tokens:write']) }),
  sk_prod_projects: principal({ grants: [grant(ORG_A, PROJECT_1), grant(ORG_A, PROJECT_2)] }),
  sk_prod_all: principal({ grants: [grant(ORG_A, '*')] }),
  sk_prod_orgs: principal({ grants: [grant(ORG_A, PROJECT_1), grant(ORG_B, PROJECT_2)] }),
  sk_prod_nothing: principal({ scopes: new Set<KeyScope>() }),
};

const WORKFLOWS = [
  ...['create', 'list', 'get', 'update', 'delete', 'exportBundle', 'importBundle'],
  ...['simulate', 'figures'],
];

type Overrides = { readonly [Group in keyof Beckon]?: Partial<Beckon[Group]> };
type Call = { readonly name: string; readonly args: readonly unknown[] };
export type FakeBeckon = { readonly beckon: Beckon; readonly calls: Call[] };

/** Buckets that are always full. */
const ENDLESS: CallsApi = {
  bucketOf: ({ kind }) => ({ key: kind, periodUs: 1, burst: 200 }),
  attempts: (kind) => ({ key: kind, periodUs: 1, burst: 30 }),
  left: ({ burst }) => burst,
  check: () => undefined,
  take: () => undefined,
  giveBack: () => undefined,
};

const AUTH = [
  ...['signUp', 'signIn', 'refresh', 'forgotPassword', 'resetPassword', 'requestVerification', 'verifyEmail'],
  ...[
    'undoEmailChange',
    'signInWithProvider',
    'exchangeCode',
    'linkIdentity',
    'updateSocialProvider',
    'changePassword',
    'reauthenticate',
    'changeEmail',
    'me',
    'updateMe',
    'deleteMe',
    'logout',
  ],
  'revokeSession',
  ...['requestMagicLink', 'signInWithMagicLink', 'requestEmailCode', 'signInWithEmailCode', 'requestReauthentication'],
  ...['signInAsGuest', 'upgradeGuest', 'verifyMfa', 'enrollTotp', 'confirmTotp', 'deleteFactor'],
  ...['requestPasskeySignIn', 'signInWithPasskey', 'requestPasskey', 'addPasskey', 'updatePasskey', 'deletePasskey'],
  ...['requestPasskeyReauthentication', 'requestMfaPasskey'],
  ...['renewRecoveryCodes', 'unlinkIdentity', 'getSocialProvider', 'deleteSocialProvider'],
  ...['getScimDirectory', 'createScimDirectory', 'updateScimDirectory', 'deleteScimDirectory'],
  ...['createScimToken', 'deleteScimToken', 'authenticateScim', 'handleScim'],
  ...['startSso', 'createSsoConnection', 'getSsoConnection', 'updateSsoConnection', 'deleteSsoConnection'],
  ...['createSsoDomain', 'getSsoDomain', 'verifySsoDomain', 'deleteSsoDomain'],
  ...['getConfig', 'getClaimsTemplate', 'updateClaimsTemplate', 'deleteClaimsTemplate', 'previewClaims'],
  ...['getSettings', 'updateSettings', 'jwks', 'issuerJwks', 'openIdConfiguration'],
];
const AUTH_LISTS = [
  ...['sessions', 'listSigningKeys', 'rotateSigningKey', 'audit', 'listFactors', 'socialProviders', 'identities'],
  ...[
    'listSocialProviders',
    'listPasskeys',
    'listScimDirectories',
    'listScimTokens',
    'listSsoConnections',
    'listSsoDomains',
  ],
];
const USERS = [
  ...['get', 'create', 'update', 'delete', 'revokeSessions', 'sendReset', 'import', 'factors', 'resetMfa'],
  'impersonate',
];
const USER_LISTS = ['list', 'sessions', 'identities', 'passkeys'];
const EMPTY_PAGE = { data: [], pagination: { limit: 50, hasMore: false, nextCursor: null } };
const ANSWERS: Readonly<Record<string, unknown>> = {
  'events.track': { id: EVENT_ID, accepted: true },
  'events.identify': { id: EVENT_ID, accepted: true },
  'events.batch': { accepted: 1, duplicates: 0, rejected: [] },
  'events.list': EMPTY_PAGE,
  'events.get': { id: EVENT_ID, workflows: [] },
  'profiles.list': EMPTY_PAGE,
  'profiles.get': { userId: 'u' },
  'profiles.update': { userId: 'u' },
  'profiles.events': EMPTY_PAGE,
  'profiles.sends': EMPTY_PAGE,
  'workflows.exportBundle': { bundle: { version: 1, exportedAt: '', workflows: [] }, etag: 'cafe' },
  'workflows.importBundle': { created: [] },
  'workflows.create': { id: 'w' },
  'workflows.list': EMPTY_PAGE,
  'workflows.get': { id: 'w' },
  'workflows.update': { id: 'w' },
  'workflows.delete': { id: 'w' },
  'runs.list': EMPTY_PAGE,
  'runs.get': { id: 'r' },
  'runs.cancel': { id: 'r' },
  'runs.retry': { id: 'r' },
  'workflows.simulate': { steps: [] },
  'workflows.figures': { series: [] },
  'analytics.overview': { series: [] },
  'analytics.events': { series: [] },
  'analytics.sends': { series: [] },
  'analytics.funnel': { series: [] },
  'analytics.retention': { series: [] },
  'analytics.usage': { series: [] },
  'tokens.register': { token: { id: 't' }, isNew: true },
  'tokens.delete': { id: 't', isActive: false },
  'tokens.webConfig': { vapidPublicKey: 'B' },
  'liveActivities.registerToken': { kind: 'update', activity: null },
  'liveActivities.start': { externalId: 'e', sendId: null, devices: 0 },
  'liveActivities.update': { externalId: 'e' },
  'liveActivities.end': { externalId: 'e' },
  'liveActivities.list': EMPTY_PAGE,
  'geofences.nearest': { data: [] },
  'geofences.report': { accepted: true },
  'geofences.list': EMPTY_PAGE,
  'geofences.get': { id: 'g' },
  'geofences.create': { id: 'g' },
  'geofences.update': { id: 'g' },
  'geofences.delete': { id: 'g' },
  'audiences.list': EMPTY_PAGE,
  'audiences.members': EMPTY_PAGE,
  ...Object.fromEntries(['create', 'get', 'update', 'delete'].map((name) => [`audiences.${name}`, { id: 'a' }])),
  'audiences.preview': { count: 0, sample: [] },
  'audiences.explain': { isMember: false },
  'audiences.addMembers': { added: 1, existing: 0 },
  'audiences.removeMembers': { removed: 1 },
  'webhooks.list': EMPTY_PAGE,
  'webhooks.deliveries': EMPTY_PAGE,
  ...Object.fromEntries(
    ['create', 'get', 'update', 'delete', 'rotateSecret', 'test', 'delivery', 'replay'].map((name) => [
      `webhooks.${name}`,
      { id: 'w' },
    ]),
  ),
  'webhooks.recover': { recovered: 0, hasMore: false },
  'push.send': { id: 's', status: 'queued' },
  'push.sendToAudience': { id: 's', status: 'queued' },
  'push.trackOpen': { accepted: true },
  'push.trackDelivered': { accepted: true },
  'email.send': { id: 's', status: 'queued' },
  'email.sendToAudience': { id: 's', status: 'queued' },
  'email.trackOpen': undefined,
  'email.trackClick': { url: 'https://shop.test/a?b=c' },
  'sends.list': EMPTY_PAGE,
  'sends.get': { id: 's' },
  'sends.messages': EMPTY_PAGE,
  'sends.message': { id: 'm' },
  'sends.cancel': { id: 's', status: 'cancelled' },
  'sends.health': { status: 'ok' },
  'sms.send': { id: 's', status: 'queued' },
  'sms.sendToAudience': { id: 's', status: 'queued' },
  'settings.get': {},
  'settings.update': {},
  'settings.test': { results: [] },
  'templates.create': { id: 't' },
  'templates.list': EMPTY_PAGE,
  'templates.get': { id: 't' },
  'templates.update': { id: 't' },
  'templates.delete': { id: 't' },
  'templates.preview': { templateId: 't' },
  'emailDomains.list': EMPTY_PAGE,
  ...Object.fromEntries(['create', 'get', 'delete', 'verify'].map((name) => [`emailDomains.${name}`, { id: 'd' }])),
  'ai.get': { configured: false },
  'ai.update': { configured: true },
  'ai.delete': { configured: false },
  'abTests.list': EMPTY_PAGE,
  'abTests.create': { id: 'a' },
  'abTests.get': { id: 'a' },
  'abTests.update': { id: 'a' },
  'abTests.complete': { id: 'a' },
  'abTests.stats': { id: 'a' },
  'outbox.list': EMPTY_PAGE,
  'tenancy.listKeys': EMPTY_PAGE,
  ...Object.fromEntries(AUTH.map((name) => [`auth.${name}`, { id: 'u' }])),
  ...Object.fromEntries(AUTH_LISTS.map((name) => [`auth.${name}`, EMPTY_PAGE])),
  ...Object.fromEntries(USERS.map((name) => [`users.${name}`, { id: 'u' }])),
  ...Object.fromEntries(USER_LISTS.map((name) => [`users.${name}`, EMPTY_PAGE])),
};

const MEMBERS = ['members', 'addMembers', 'removeMembers', 'preview', 'explain'];

/**
 * A Beckon that records its calls and returns simple values.
 *
 * @param overrides functions that replace the default ones; their calls are not recorded
 */
export const fakeBeckon = (overrides: Overrides = {}): FakeBeckon => {
  const calls: Call[] = [];
  const group = (groupName: string, names: readonly string[], change: object = {}): object => {
    const plain = names.map((name) => {
      const full = `${groupName}.${name}`;
      const call = async (...args: unknown[]): Promise<unknown> => {
        calls.push({ name: full, args });
        if (full in ANSWERS) return ANSWERS[full];
        throw new Error(`nobody expected ${full}`);
      };
      return [name, call];
    });
    return { ...Object.fromEntries(plain), ...change };
  };
  const groups = {
    events: group('events', ['track', 'identify', 'batch', 'list', 'get'], overrides.events),
    profiles: group('profiles', ['list', 'get', 'update', 'events', 'sends'], overrides.profiles),
    workflows: group('workflows', WORKFLOWS, overrides.workflows),
    runs: group('runs', ['list', 'get', 'cancel', 'retry'], overrides.runs),
    ai: group('ai', ['get', 'update', 'delete'], overrides.ai),
    abTests: group('abTests', ['list', 'create', 'get', 'update', 'complete', 'stats'], overrides.abTests),
    tokens: group('tokens', ['register', 'delete', 'webConfig'], overrides.tokens),
    geofences: group('geofences', ['nearest', 'report', 'list', 'get', 'create', 'update', 'delete']),
    audiences: group('audiences', ['list', 'create', 'get', 'update', 'delete', ...MEMBERS]),
    webhooks: group('webhooks', [
      'create',
      'list',
      'get',
      'update',
      'delete',
      'rotateSecret',
      'test',
      'deliveries',
      'delivery',
      'replay',
      'recover',
    ]),
    liveActivities: group('liveActivities', ['registerToken', 'start', 'update', 'end', 'list']),
    push: group('push', ['send', 'sendToAudience', 'trackOpen', 'trackDelivered'], overrides.push),
    email: group('email', ['send', 'sendToAudience', 'trackOpen', 'trackClick'], overrides.email),
    sms: group('sms', ['send', 'sendToAudience'], overrides.sms),
    sends: group('sends', ['list', 'get', 'messages', 'message', 'cancel', 'health', 'pace'], overrides.sends),
    settings: group('settings', ['get', 'update', 'test'], overrides.settings),
    templates: group('templates', ['create', 'list', 'get', 'update', 'delete', 'preview'], overrides.templates),
    emailDomains: group('emailDomains', ['list', 'create', 'get', 'delete', 'verify'], overrides.emailDomains),
    analytics: group('analytics', ['overview', 'events', 'sends', 'funnel', 'retention', 'usage'], overrides.analytics),
    limits: { mailRequest: (_scope: unknown, work: () => unknown) => work(), calls: ENDLESS, ...overrides.limits },
    subscriptions: overrides.subscriptions,
    outbox: group('outbox', ['list'], overrides.outbox),
    auth: group('auth', [...AUTH, ...AUTH_LISTS], {
      authenticate: async () => ({ account: { id: 'u', userId: 'u' }, session: { id: 's' } }),
      ...overrides.auth,
    }),
    users: group('users', [...USERS, ...USER_LISTS], overrides.users),
    tenancy: group('tenancy', ['listKeys'], {
      authenticate: async (key: string) => (Object.hasOwn(KEYS, key) ? KEYS[key] : null),
      scopeFor: async (principal: Principal, asked: Asked) => {
        const scope = resolveScope(principal, asked);
        if (![PROJECT_1, PROJECT_2].includes(scope.projectId)) throw notFound();
        return scope;
      },
      ...overrides.tenancy,
    }),
    telemetry: null,
    health: async () => ({ ready: true, status: 'ok', checks: {} }),
    ...(overrides.health && { health: overrides.health }),
  };
  // Proof of the cast: every function that a route calls is listed above; a missing one fails the test that needs it.
  return { beckon: groups as unknown as Beckon, calls };
};
