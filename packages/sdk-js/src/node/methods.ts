const templates = <Channel extends 'push' | 'email' | 'sms'>(channel: Channel) =>
  ({
    list: `GET /${channel}/templates`,
    create: `POST /${channel}/templates`,
    get: `GET /${channel}/templates/{id}`,
    update: `PATCH /${channel}/templates/{id}`,
    delete: `DELETE /${channel}/templates/{id}`,
    preview: `POST /${channel}/templates/{id}/preview`,
  }) as const;

const abTests = <Channel extends 'push' | 'email' | 'sms'>(channel: Channel) =>
  ({
    list: `GET /${channel}/ab-tests`,
    create: `POST /${channel}/ab-tests`,
    get: `GET /${channel}/ab-tests/{id}`,
    update: `PATCH /${channel}/ab-tests/{id}`,
    stats: `GET /${channel}/ab-tests/{id}/stats`,
    complete: `POST /${channel}/ab-tests/{id}/complete`,
  }) as const;

/** Methods of every channel. */
const channel = <Channel extends 'push' | 'email' | 'sms'>(name: Channel) =>
  ({
    send: `POST /${name}/send`,
    sendToAudience: `POST /${name}/send-to-audience`,
    sends: {
      list: `GET /${name}/sends`,
      get: `GET /${name}/sends/{id}`,
      cancel: `DELETE /${name}/sends/{id}`,
      messages: `GET /${name}/sends/{id}/messages`,
      message: `GET /${name}/messages/{id}`,
      health: `GET /${name}/sends/delivery-health`,
    },
    templates: templates(name),
    abTests: abTests(name),
    settings: {
      get: `GET /${name}/settings`,
      update: `PUT /${name}/settings`,
      test: `POST /${name}/settings/test`,
    },
  }) as const;

/** `remove` is a POST, because some proxies drop the body of a DELETE. */
const suppressions = <Channel extends 'email' | 'sms'>(name: Channel) =>
  ({
    list: `GET /${name}/suppressions`,
    add: `POST /${name}/suppressions`,
    remove: `POST /${name}/suppressions/remove`,
  }) as const;

/**
 * The routes that a program calls, named as in the library. A route that does the same as another one is left out.
 * Recipients and providers call the others.
 */
export const methods = {
  events: {
    track: 'POST /events',
    identify: 'POST /identify',
    batch: 'POST /events/batch',
    list: 'GET /events',
    get: 'GET /events/{id}',
  },
  profiles: {
    list: 'GET /profiles',
    get: 'GET /profiles/{userId}',
    update: 'PATCH /profiles/{userId}',
    erase: 'DELETE /profiles/{userId}',
    erasure: 'GET /profiles/erasures/{id}',
    events: 'GET /profiles/{userId}/events',
    sends: 'GET /profiles/{userId}/sends',
  },
  subscriptions: {
    get: 'GET /profiles/{userId}/subscriptions',
    update: 'PUT /profiles/{userId}/subscriptions',
  },
  analytics: {
    overview: 'GET /analytics/overview',
    events: 'GET /analytics/events',
    sends: 'GET /analytics/sends',
    funnel: 'POST /analytics/funnel',
    retention: 'GET /analytics/retention',
    usage: 'GET /analytics/usage',
  },
  audiences: {
    list: 'GET /audiences',
    create: 'POST /audiences',
    get: 'GET /audiences/{id}',
    update: 'PATCH /audiences/{id}',
    delete: 'DELETE /audiences/{id}',
    preview: 'POST /audiences/preview',
    explain: 'GET /audiences/{id}/explain/{userId}',
    members: 'GET /audiences/{id}/members',
    addMembers: 'POST /audiences/{id}/members',
    removeMembers: 'POST /audiences/{id}/members/remove',
  },
  workflows: {
    list: 'GET /automation/workflows',
    create: 'POST /automation/workflows',
    get: 'GET /automation/workflows/{id}',
    update: 'PATCH /automation/workflows/{id}',
    delete: 'DELETE /automation/workflows/{id}',
    exportBundle: 'GET /automation/workflows/export',
    importBundle: 'POST /automation/workflows/import',
    simulate: 'POST /automation/workflows/{id}/simulate',
    figures: 'GET /analytics/workflows/{id}',
  },
  runs: {
    list: 'GET /automation/runs',
    get: 'GET /automation/runs/{id}',
    cancel: 'POST /automation/runs/{id}/cancel',
    retry: 'POST /automation/runs/{id}/retry',
  },
  secrets: {
    list: 'GET /automation/secrets',
    set: 'PUT /automation/secrets/{name}',
    delete: 'DELETE /automation/secrets/{name}',
  },
  ai: {
    get: 'GET /automation/ai/settings',
    update: 'PUT /automation/ai/settings',
    delete: 'DELETE /automation/ai/settings',
  },
  users: {
    list: 'GET /auth-service/users',
    create: 'POST /auth-service/users',
    get: 'GET /auth-service/users/{id}',
    update: 'PATCH /auth-service/users/{id}',
    delete: 'DELETE /auth-service/users/{id}',
    sessions: 'GET /auth-service/users/{id}/sessions',
    revokeSessions: 'POST /auth-service/users/{id}/sessions/revoke',
    sendReset: 'POST /auth-service/users/{id}/send-reset',
    import: 'POST /auth-service/users/bulk-import',
    factors: 'GET /auth-service/users/{id}/factors',
    resetMfa: 'POST /auth-service/users/{id}/mfa/reset',
    identities: 'GET /auth-service/users/{id}/identities',
  },
  auth: {
    getSettings: 'GET /auth-service/settings',
    updateSettings: 'PUT /auth-service/settings',
    listSigningKeys: 'GET /auth-service/signing-keys',
    rotateSigningKey: 'POST /auth-service/signing-keys/rotate',
    listSocialProviders: 'GET /auth-service/social/providers',
    getSocialProvider: 'GET /auth-service/social/providers/{provider}',
    updateSocialProvider: 'PUT /auth-service/social/providers/{provider}',
    deleteSocialProvider: 'DELETE /auth-service/social/providers/{provider}',
    listScimDirectories: 'GET /auth-service/scim/directories',
    createScimDirectory: 'POST /auth-service/scim/directories',
    getScimDirectory: 'GET /auth-service/scim/directories/{id}',
    updateScimDirectory: 'PATCH /auth-service/scim/directories/{id}',
    deleteScimDirectory: 'DELETE /auth-service/scim/directories/{id}',
    listScimTokens: 'GET /auth-service/scim/tokens',
    createScimToken: 'POST /auth-service/scim/tokens',
    deleteScimToken: 'DELETE /auth-service/scim/tokens/{id}',
    listSsoConnections: 'GET /auth-service/sso/connections',
    getSsoConnection: 'GET /auth-service/sso/connections/{id}',
    createSsoConnection: 'POST /auth-service/sso/connections',
    updateSsoConnection: 'PATCH /auth-service/sso/connections/{id}',
    deleteSsoConnection: 'DELETE /auth-service/sso/connections/{id}',
    listSsoDomains: 'GET /auth-service/sso/domains',
    getSsoDomain: 'GET /auth-service/sso/domains/{id}',
    createSsoDomain: 'POST /auth-service/sso/domains',
    verifySsoDomain: 'POST /auth-service/sso/domains/{id}/verify',
    deleteSsoDomain: 'DELETE /auth-service/sso/domains/{id}',
    audit: 'GET /auth-service/audit',
  },
  push: {
    ...channel('push'),
    trackOpen: 'POST /push/track-open',
    trackDelivered: 'POST /push/track-delivered',
    tokens: {
      register: 'POST /push/tokens',
      delete: 'DELETE /push/tokens/{tokenId}',
      webConfig: 'GET /push/web-config',
    },
    geofences: {
      list: 'GET /push/geofences',
      create: 'POST /push/geofences',
      get: 'GET /push/geofences/{id}',
      update: 'PATCH /push/geofences/{id}',
      delete: 'DELETE /push/geofences/{id}',
      nearest: 'GET /push/geofences/sync',
      report: 'POST /push/geofences/event',
    },
    liveActivities: {
      list: 'GET /push/live-activities',
      registerToken: 'POST /push/live-activities/start-token',
      start: 'POST /push/live-activities/start',
      update: 'PATCH /push/live-activities/{externalId}',
      end: 'POST /push/live-activities/{externalId}/end',
    },
  },
  email: {
    ...channel('email'),
    suppressions: suppressions('email'),
    domains: {
      list: 'GET /email/domains',
      create: 'POST /email/domains',
      get: 'GET /email/domains/{id}',
      delete: 'DELETE /email/domains/{id}',
      verify: 'POST /email/domains/{id}/verify',
    },
  },
  sms: { ...channel('sms'), suppressions: suppressions('sms') },
  webhooks: {
    list: 'GET /webhooks',
    create: 'POST /webhooks',
    get: 'GET /webhooks/{id}',
    update: 'PATCH /webhooks/{id}',
    delete: 'DELETE /webhooks/{id}',
    rotateSecret: 'POST /webhooks/{id}/rotate-secret',
    test: 'POST /webhooks/{id}/test',
    recover: 'POST /webhooks/{id}/recover',
    deliveries: 'GET /webhooks/{id}/deliveries',
    delivery: 'GET /webhooks/deliveries/{id}',
    replay: 'POST /webhooks/deliveries/{id}/replay',
  },
  outbox: { list: 'GET /sandbox/messages' },
  keys: { list: 'GET /api-keys' },
  openApi: 'GET /openapi.json',
  alive: 'GET /healthz',
  ready: 'GET /readyz',
} as const;
