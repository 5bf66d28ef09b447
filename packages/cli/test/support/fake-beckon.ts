import type { ApiKey, Beckon, BundleInput, DatabaseSchema, ImportAnswer, NewKey, Scope, Workflow } from '@beckon/core';
import { type Listening, type Services, services } from '../../src/services.ts';
import { sending, sends, settings } from './fake-delivery.ts';
import { AT, coreError, page, unused, type World } from './world.ts';

// Safe: only fakes use these values, and they read only names.
const madeUp = (names: Pick<Scope, 'orgId' | 'projectId' | 'environment'>): Scope => names as unknown as Scope;

const tenancy = (state: World): Beckon['tenancy'] => ({
  createOrg: async ({ name }) => {
    const org = { id: `org${state.orgs.length + 1}`, name, plan: 'unlimited', createdAt: AT };
    state.orgs.push(org);
    return org;
  },
  listOrgs: async ({ limit = 50, cursor } = {}) => page(state.orgs, limit, cursor),
  createProject: async ({ orgId, name }) => {
    const project = { id: `project${state.projects.length + 1}`, orgId, name, createdAt: AT };
    state.projects.push(project);
    return project;
  },
  listProjects: async ({ orgId, limit = 50, cursor } = {}) => {
    const rows = state.projects.filter((project) => orgId === undefined || project.orgId === orgId);
    return page(rows, limit, cursor);
  },
  createKey: async (input: NewKey) => {
    if (state.failure.createKey) throw state.failure.createKey;
    const secret = `${input.kind === 'public' ? 'pk' : 'sk'}_${input.environment}_secret${state.keys.length + 1}`;
    const key: ApiKey = {
      id: `key${state.keys.length + 1}`,
      name: input.name ?? '',
      kind: input.kind,
      environment: input.environment,
      lastFour: secret.slice(-4),
      scopes: input.scopes ?? ['events.write'],
      grants: input.grants,
      createdAt: AT,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
    };
    state.keys.push(key);
    return { key, secret };
  },
  listKeys: async ({ orgId, limit = 50, cursor } = {}) => {
    const rows = state.keys.filter(({ grants }) => !orgId || grants.some((grant) => grant.orgId === orgId));
    return page(rows, limit, cursor);
  },
  revokeKey: unused,
  scope: async ({ environment, ...names }) => madeUp({ ...names, environment }),
  project: async (names) => madeUp({ ...names, environment: 'prod' }),
  authenticate: unused,
  scopeFor: unused,
});

const named = ({ name }: Workflow): string => name;

// Proof of the cast: the fake stores its input.
const workflowsOf = ({ workflows = [] }: BundleInput): readonly Workflow[] => workflows as readonly Workflow[];

const workflows = (state: World): Beckon['workflows'] => ({
  exportBundle: async (_, query) => ({
    bundle: {
      version: 1,
      exportedAt: AT.toISOString(),
      // Proof of the cast: the fake returns its input, and commands read only names.
      workflows: [...state.workflows.values()].filter(
        ({ name }) => query?.workflows?.includes(name) ?? true,
      ) as Workflow[],
    },
    etag: `etag${state.workflows.size}`,
  }),
  importBundle: async (_, bundle, options): Promise<ImportAnswer> => {
    state.calls.push(`import ${JSON.stringify(options ?? {})}`);
    if (state.failure.importBundle) throw state.failure.importBundle;
    const dryRun = options?.dryRun === true;
    const all = workflowsOf(bundle).map((workflow) => ({ id: named(workflow), name: named(workflow), workflow }));
    const isSame = ({ name, workflow }: { name: string; workflow: unknown }): boolean =>
      JSON.stringify(state.workflows.get(name)) === JSON.stringify(workflow);
    const summary = ({ id, name }: { id: string; name: string }) => ({ id, name });
    const created = all.filter(({ name }) => !state.workflows.has(name)).map(summary);
    const changed = all.filter((one) => state.workflows.has(one.name) && !isSame(one));
    const updated = changed.map((one) => ({ ...summary(one), version: 2, changes: ['steps'] }));
    const unchanged = all.filter(isSame).map(summary);
    if (!dryRun) for (const { name, workflow } of all) state.workflows.set(name, workflow);
    return { created, updated, unchanged, skipped: [], warnings: [], dryRun, importId: 'i1' };
  },
  create: unused,
  list: unused,
  get: unused,
  update: unused,
  delete: unused,
  figures: unused,
  simulate: unused,
});

/** A fake Beckon that stores everything in `state`. */
/** Segments and encoding of a short text. */
const SMS = { channel: 'sms', title: null, segments: 1, encoding: 'GSM-7' } as const;

export const fakeBeckon = (state: World): Beckon => ({
  tenancy: tenancy(state),
  ai: { get: unused, update: unused, delete: unused },
  secrets: {
    ...{ list: unused, set: unused, delete: unused, rotateSigning: unused },
    rotateMasterKey: async ({ onProgress } = {}) => {
      const of = state.rotation.dataKeys + state.rotation.values;
      onProgress?.({ done: of / 2, of });
      return state.rotation;
    },
  },
  workflows: workflows(state),
  runs: { list: unused, get: unused, cancel: unused, retry: unused },
  audiences: {
    ...{ create: unused, list: unused, get: unused, update: unused, delete: unused, members: unused },
    ...{ addMembers: unused, removeMembers: unused, ofUser: unused, preview: unused, explain: unused },
  },
  events: { track: unused, identify: unused, batch: unused, list: unused, get: unused },
  callbacks: { receive: unused, list: unused, replay: unused, urls: unused },
  profiles: {
    ...{ list: unused, get: unused, update: unused, events: unused, sends: unused, erase: unused, erasure: unused },
    placeholders: async () => ({ data: state.placeholders }),
  },
  liveActivities: { registerToken: unused, start: unused, update: unused, end: unused, list: unused },
  webhooks: {
    create: unused,
    list: async () => ({ data: state.webhooks, pagination: { limit: 50, hasMore: false, nextCursor: null } }),
    get: unused,
    update: unused,
    delete: unused,
    rotateSecret: unused,
    test: unused,
    deliveries: unused,
    delivery: unused,
    replay: unused,
    recover: unused,
  },
  geofences: {
    create: unused,
    list: unused,
    get: unused,
    update: unused,
    delete: unused,
    nearest: unused,
    report: unused,
  },
  push: { ...sending(state, 'push'), trackOpen: unused, trackDelivered: unused },
  tokens: { register: unused, delete: unused, webConfig: unused },
  email: { ...sending(state, 'email'), trackOpen: unused, trackClick: unused },
  sms: {
    send: async (scope, body) => ({ ...(await sending(state, 'sms').send(scope, body)), ...SMS }),
    sendToAudience: async (scope, body) => ({
      ...(await sending(state, 'sms').sendToAudience(scope, body)),
      ...SMS,
    }),
  },
  sends: sends(state),
  settings: settings(state),
  templates: { create: unused, list: unused, get: unused, update: unused, delete: unused, preview: unused },
  emailDomains: {
    create: unused,
    list: async (_, query) => page([], query?.limit ?? 50, undefined),
    get: unused,
    delete: unused,
    verify: unused,
  },
  analytics: { overview: unused, events: unused, sends: unused, funnel: unused, retention: unused, usage: unused },
  plans: {
    list: () => ({ data: [] }),
    of: async () => ({ name: 'unlimited', gates: [], eventsPerMonth: null, retentionDays: 400 }),
    set: async (orgId, name) => {
      state.calls.push(`plan of ${orgId}: ${name}`);
      return { name, gates: [], eventsPerMonth: null, retentionDays: 400 };
    },
    require: unused,
    usageOf: unused,
  },
  limits: {
    mailRequest: unused,
    // Rate limits that are never exceeded.
    calls: {
      bucketOf: ({ kind }) => ({ key: kind, periodUs: 1, burst: 200 }),
      attempts: (kind) => ({ key: kind, periodUs: 1, burst: 30 }),
      left: ({ burst }) => burst,
      check: () => undefined,
      take: () => undefined,
      giveBack: () => undefined,
    },
    callRates: async () => ({}),
    setCallRate: async (orgId, kind, perMinute) => {
      state.calls.push(`call rate ${orgId} ${kind} ${perMinute}`);
    },
    setEmailProbation: async (orgId, isOn) => {
      state.calls.push(`probation ${orgId} ${isOn}`);
    },
  },
  load: { current: () => ({ databaseWaitMs: 0, ingestFilled: 0 }), lagMs: async () => 0 },
  abTests: { create: unused, list: unused, get: unused, update: unused, complete: unused, stats: unused },
  outbox: {
    list: async (scope, { channel, userId, limit = 50, cursor } = {}) => {
      state.calls.push(`outbox ${scope.environment} ${scope.orgId}/${scope.projectId}`);
      const rows = state.messages.filter(
        (one) => (!channel || one.channel === channel) && (!userId || one.userId === userId),
      );
      return page(rows, limit, cursor);
    },
    get: async (_, id) => {
      const found = state.messages.find((one) => one.id === id);
      if (!found) throw coreError('NOT_FOUND', 'No such resource.');
      return found;
    },
    clear: unused,
  },
  bounces: { ingest: unused },
  suppressions: { list: unused, add: unused, remove: unused },
  subscriptions: { get: unused, update: unused, ofLink: unused, changeByLink: unused },
  worker: {
    start: () => void state.calls.push('worker start'),
    stop: async ({ timeoutMs } = {}) => {
      state.limitsMs.push(timeoutMs);
      await state.stopping;
      state.calls.push('worker stop');
    },
    drain: async () => {
      state.calls.push('drain');
      const handled = state.due.shift() ?? 0;
      await state.draining();
      return handled;
    },
  },
  health: async () => {
    const isCurrent = state.failure.state === undefined;
    const schema = { ok: isCurrent, detail: isCurrent ? 'current' : '1 migrations missing' };
    const fine = { ok: true, detail: 'fine' };
    return {
      ready: isCurrent,
      status: isCurrent ? 'ok' : 'unready',
      checks: { database: fine, schema, worker: fine, timezones: fine },
    };
  },
  queues: async () => ({ data: state.queues }),
  for: unused,
  close: async () => void state.calls.push('close'),
});

const schema = (state: World): DatabaseSchema => ({
  state: async () => {
    if (state.failure.state) throw state.failure.state;
    return {
      applied: state.applied.length,
      known: state.known.length,
      pending: state.known.filter((name) => !state.applied.includes(name)),
      isNewer: state.applied.some((name) => !state.known.includes(name)),
    };
  },
  migrate: async () => {
    const missing = state.known.filter((name) => !state.applied.includes(name));
    state.applied.push(...missing);
    return missing;
  },
  close: async () => void state.calls.push('schema close'),
});

const listening = (state: World, host: string, port: number): Listening => {
  state.calls.push('listen');
  return {
    url: `http://${host}:${port === 0 ? 49152 : port}`,
    close: async (timeoutMs) => {
      state.limitsMs.push(timeoutMs);
      state.calls.push('server close');
      return true;
    },
  };
};

/** Fake services with one fake database. `newMasterKey` returns recognizable keys. */
export const fakeServices = (state: World): Services => ({
  open: async (options) => {
    state.opened.push(options);
    if (state.failure.open) throw state.failure.open;
    if (options.migrate === 'auto') state.applied.splice(0, state.applied.length, ...state.known);
    return fakeBeckon(state);
  },
  schema: async () => schema(state),
  examine: async () => ({ dialect: 'sqlite', version: '3.50.0', integrity: 'ok', walBytes: 0 }),
  backup: unused,
  restore: unused,
  sqliteVersion: async () => '3.50.0',
  fetch: unused,
  forward: async () => null,
  docsFolder: () => state.docsFolder,
  newMasterKey: async () => 'master-key-of-a-test',
  newVapidKeys: async () => ({ publicKey: 'public-half', privateKey: 'private-half' }),
  checkMasterKey: async (text) => {
    if (text === 'weak') throw new TypeError('Master key 1 is not 32 bytes written as base64, base64url or hex.');
  },
  parseJson: async (bytes) => {
    try {
      return JSON.parse(Buffer.from(bytes).toString('utf8'));
    } catch {
      throw coreError('VALIDATION_ERROR', 'Some fields are not valid.', { fieldErrors: { body: ['It is no JSON.'] } });
    }
  },
  simulate: async (...input) => (await import('@beckon/core')).simulate(...input),
  checkBundle: async (bundle) => (await import('@beckon/core')).checkBundle(bundle),
  workflowSchema: (kind) => services.workflowSchema(kind),
  listen: async (_, { host, port, trustedProxies, onAnswered }) => {
    state.trustedProxies = trustedProxies;
    if (state.failure.listen) throw state.failure.listen;
    onAnswered?.('/profiles/:userId', 'GET', 404, 0.0124);
    return listening(state, host, port);
  },
  metrics: async () => ({
    meter: { count: () => undefined, time: () => undefined },
    answered: () => undefined,
    loaded: () => undefined,
    contentType: 'text/plain',
    text: async () => '',
  }),
  listenMetrics: async (_, __, { host, port }) => {
    if (state.failure.listenMetrics) throw state.failure.listenMetrics;
    return { url: `http://${host}:${port}/metrics`, close: async () => undefined };
  },
});
