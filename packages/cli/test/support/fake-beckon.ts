import type { Beckon, Scope } from '@beckon/core';
import type { Services } from '../../src/services.ts';
import { sends, settings } from './fake-delivery.ts';
import { coreError, page, unused, type World } from './world.ts';

// Safe: only fakes use these values, and they read only names.
const madeUp = (names: Pick<Scope, 'orgId' | 'projectId' | 'environment'>): Scope => names as unknown as Scope;

const tenancy = (state: World): Beckon['tenancy'] => ({
  ...{ createOrg: unused, createProject: unused, createKey: unused, listKeys: unused, revokeKey: unused },
  ...{ authenticate: unused, scopeFor: unused },
  listOrgs: async ({ limit = 50, cursor } = {}) => page(state.orgs, limit, cursor),
  listProjects: async ({ orgId, limit = 50, cursor } = {}) => {
    const rows = state.projects.filter((project) => orgId === undefined || project.orgId === orgId);
    return page(rows, limit, cursor);
  },
  scope: async ({ environment, ...names }) => madeUp({ ...names, environment }),
  project: async (names) => madeUp({ ...names, environment: 'prod' }),
});

/** A fake Beckon that stores everything in `state`. */
export const fakeBeckon = (state: World): Beckon => ({
  tenancy: tenancy(state),
  auth: {
    ...{ requestMagicLink: unused, signInWithMagicLink: unused, requestEmailCode: unused },
    ...{ signInWithEmailCode: unused, requestReauthentication: unused },
    ...{ signUp: unused, signIn: unused, refresh: unused, forgotPassword: unused, resetPassword: unused },
    ...{ requestVerification: unused, verifyEmail: unused, undoEmailChange: unused, authenticate: unused },
    ...{ changePassword: unused, reauthenticate: unused, changeEmail: unused, me: unused, updateMe: unused },
    ...{ deleteMe: unused, sessions: unused, logout: unused, revokeSession: unused },
    ...{ requestMagicLink: unused, signInWithMagicLink: unused, requestEmailCode: unused, signInWithEmailCode: unused },
    ...{ requestReauthentication: unused, signInAsGuest: unused, upgradeGuest: unused },
    ...{ getSettings: unused, updateSettings: unused, jwks: unused },
    ...{ issuerJwks: unused, openIdConfiguration: unused, listSigningKeys: unused, rotateSigningKey: unused },
    ...{ listScimDirectories: unused, getScimDirectory: unused, createScimDirectory: unused },
    ...{ updateScimDirectory: unused, deleteScimDirectory: unused, listScimTokens: unused, createScimToken: unused },
    ...{ deleteScimToken: unused, authenticateScim: unused, handleScim: unused },
    ...{ signInWithProvider: unused, handleSocialCallback: unused, exchangeCode: unused, socialProviders: unused },
    ...{ identities: unused, linkIdentity: unused, unlinkIdentity: unused, listSocialProviders: unused },
    ...{
      signInAsGuest: unused,
      upgradeGuest: unused,
      getSocialProvider: unused,
      updateSocialProvider: unused,
      deleteSocialProvider: unused,
    },
    ...{ startSso: unused, handleSamlResponse: unused, handleOidcCallback: unused, samlMetadata: unused },
    ...{ listSsoConnections: unused, getSsoConnection: unused, createSsoConnection: unused },
    ...{ updateSsoConnection: unused, deleteSsoConnection: unused, listSsoDomains: unused, getSsoDomain: unused },
    ...{ createSsoDomain: unused, verifySsoDomain: unused, deleteSsoDomain: unused },
    ...{ verifyMfa: unused, listFactors: unused, enrollTotp: unused, confirmTotp: unused },
    ...{ requestPasskeySignIn: unused, signInWithPasskey: unused, requestPasskey: unused, addPasskey: unused },
    ...{ listPasskeys: unused, updatePasskey: unused, deletePasskey: unused },
    ...{ requestPasskeyReauthentication: unused, requestMfaPasskey: unused },
    ...{ deleteFactor: unused, renewRecoveryCodes: unused, audit: unused },
    ...{ getConfig: unused, getClaimsTemplate: unused, updateClaimsTemplate: unused },
    ...{ deleteClaimsTemplate: unused, previewClaims: unused },
  },
  users: {
    ...{ list: unused, get: unused, create: unused, update: unused, delete: unused, sessions: unused },
    ...{ revokeSessions: unused, sendReset: unused, import: unused, export: unused, identities: unused },
    ...{ factors: unused, resetMfa: unused, impersonate: unused, passkeys: unused },
  },
  operators: {
    ...{ create: unused, list: unused, resetPassword: unused, useLink: unused, signIn: unused, authenticate: unused },
    ...{ createLoginLink: unused, signInWithLink: unused },
    ...{ reauthenticate: unused, sessions: unused, revokeSession: unused, logout: unused },
  },
  ai: { get: unused, update: unused, delete: unused },
  secrets: { list: unused, set: unused, delete: unused, rotateSigning: unused, rotateMasterKey: unused },
  workflows: {
    ...{ exportBundle: unused, importBundle: unused, create: unused, list: unused, get: unused, update: unused },
    ...{ delete: unused, figures: unused, simulate: unused },
  },
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
  push: { send: unused, sendToAudience: unused, trackOpen: unused, trackDelivered: unused },
  tokens: { register: unused, delete: unused, webConfig: unused },
  email: { send: unused, sendToAudience: unused, trackOpen: unused, trackClick: unused },
  sms: { send: unused, sendToAudience: unused },
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
    set: unused,
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
    setCallRate: unused,
    setEmailProbation: unused,
  },
  load: { current: () => ({ databaseWaitMs: 0, ingestFilled: 0 }), lagMs: async () => 0 },
  telemetry: null,
  abTests: { create: unused, list: unused, get: unused, update: unused, complete: unused, stats: unused },
  outbox: { list: unused, get: unused, clear: unused },
  bounces: { ingest: unused },
  suppressions: { list: unused, add: unused, remove: unused },
  subscriptions: { get: unused, update: unused, ofLink: unused, changeByLink: unused },
  worker: { start: unused, stop: unused, drain: unused },
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

/** Fake services with one fake database. `newMasterKey` returns recognizable keys. */
export const fakeServices = (state: World): Services => ({
  open: async () => {
    if (state.failure.open) throw state.failure.open;
    return fakeBeckon(state);
  },
  schema: unused,
  examine: async () => ({ dialect: 'sqlite', version: '3.50.0', integrity: 'ok', walBytes: 0 }),
  backup: unused,
  restore: unused,
  sqliteVersion: async () => '3.50.0',
  fetch: unused,
  forward: async () => null,
  docsFolder: unused,
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
  simulate: unused,
  checkBundle: unused,
  workflowSchema: unused,
  listen: unused,
  metrics: unused,
  listenMetrics: unused,
});
