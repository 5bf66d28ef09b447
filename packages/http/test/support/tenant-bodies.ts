// The victim's rows, and the bodies that a stranger sends to them.

/** Part of everything that the victim owns, and of no response to anyone else. */
export const CANARY = 'canary-7f3c';
export const PASSWORD = 'correct horse battery staple';
export const TRAITS = { email: `${CANARY}@example.com`, phone: '+14155550199' };
export const NOBODY = '01890000-0000-7000-8000-000000000000';

export const definition = (name: string, audienceId?: string) => ({
  name,
  description: null,
  isActive: true,
  trigger: { eventType: 'signed_up', ...(audienceId ? { audienceId } : {}) },
  steps: [{ type: 'send_email' as const, config: { subject: CANARY, text: 'Hello' } }],
});
export const bundle = (name: string, audienceId?: string) => ({
  version: 1 as const,
  exportedAt: '2026-01-01T00:00:00.000Z',
  workflows: [definition(name, audienceId)],
});

/** A body that each writing route accepts, with ids of another tenant. */
export const bodies: Record<string, (ids: { userId: string; projectId?: string }) => unknown> = {
  '/events': ({ userId, projectId }) => ({ module: 'm', eventType: 'e', userId, projectId }),
  '/events/batch': ({ userId }) => ({ batch: [{ module: 'm', eventType: 'e', userId }] }),
  '/identify': ({ userId, projectId }) => ({ userId, traits: { a: 1 }, projectId }),
  '/push/tokens': ({ userId, projectId }) => ({ token: 'fcm:theirs', platform: 'android', userId, projectId }),
  '/automation/ai/settings': () => ({ baseUrl: 'https://models.example/v1', key: 'k' }),
  '/push/track-open': ({ projectId }) => ({ sendId: NOBODY, projectId }),
  '/push/track-delivered': ({ projectId }) => ({ sendId: NOBODY, projectId }),
  '/push/live-activities/start-token': ({ userId, projectId }) => ({
    ...{ userId, activityType: 'A', externalId: 'theirs', pushToken: 'cd'.repeat(32), projectId },
  }),
  '/push/live-activities/start': ({ userId, projectId }) => ({
    ...{ activityType: 'A', externalId: 'e', attributesType: 'T', attributes: {}, contentState: {} },
    ...{ alert: { title: 't', body: 'b' }, userIds: [userId], projectId },
  }),
  '/push/live-activities/:externalId': () => ({ contentState: {} }),
  '/push/live-activities/:externalId/end': () => ({}),
  '/push/geofences/event': ({ userId, projectId }) => ({
    geofenceId: NOBODY,
    transition: 'entered',
    userId,
    projectId,
  }),
  '/push/geofences': ({ projectId }) => ({ name: 'Theirs', lat: 1, lng: 1, radiusMeters: 100, projectId }),
  '/push/geofences/:id': () => ({ radiusMeters: 200 }),
  '/analytics/funnel': () => ({ steps: ['a', 'b'] }),
  '/automation/workflows/:id/simulate': ({ userId }) => ({ event: {}, user: { userId: userId || 'u' } }),
  '/audiences': ({ projectId }) => ({ name: 'Theirs', projectId }),
  '/audiences/preview': ({ projectId }) => ({ predicate: { trait: 'a', op: 'set' }, projectId }),
  '/audiences/:id': () => ({ description: CANARY }),
  '/audiences/:id/members': ({ userId }) => ({ userIds: [userId || CANARY] }),
  '/audiences/:id/members/remove': () => ({ userIds: ['nobody'] }),
  '/webhooks': ({ projectId }) => ({ url: 'https://theirs.example/', events: ['sms.failed'], projectId }),
  '/webhooks/:id': () => ({ description: 'theirs' }),
  '/webhooks/:id/rotate-secret': () => ({}),
  '/webhooks/:id/test': () => undefined,
  '/webhooks/:id/recover': () => ({ since: '2026-03-01T12:00:00.000Z' }),
  '/webhooks/deliveries/:id/replay': () => undefined,
  ...Object.fromEntries(
    ['push', 'email', 'sms'].map((channel) => [
      `/${channel}/send-to-audience`,
      ({ projectId }) => ({ audienceId: NOBODY, title: 't', subject: 's', text: 't', body: 't', projectId }),
    ]),
  ),
  '/push/send': ({ userId, projectId }) => ({ userIds: [userId], title: 't', projectId }),
  '/sms/send': ({ userId, projectId }) => ({ userIds: [userId], body: 't', projectId }),
  ...Object.fromEntries(['push', 'email', 'sms'].map((channel) => [`/${channel}/settings/test`, () => undefined])),
  '/push/settings': ({ projectId }) => ({ webpush: null, projectId }),
  '/email/settings': ({ projectId }) => ({ smtp: null, projectId }),
  '/sms/settings': ({ projectId }) => ({ twilio: null, projectId }),
  '/email/domains': ({ projectId }) => ({ domain: `theirs-${projectId ?? 'own'}.test` }),
  '/email/domains/:id/verify': () => undefined,
  '/email/send': ({ userId, projectId }) => ({ userIds: [userId], subject: 's', text: 't', projectId }),
  ...Object.fromEntries(
    ['', '/remove'].flatMap((action) => [
      [
        `/email/suppressions${action}`,
        ({ projectId }: { projectId?: string }) => ({ address: TRAITS.email, projectId }),
      ],
      [`/sms/suppressions${action}`, ({ projectId }: { projectId?: string }) => ({ address: TRAITS.phone, projectId })],
    ]),
  ),
  '/auth-service/signup': () => ({ email: 'new@example.com', password: 'correct horse battery staple' }),
  '/auth-service/login': () => ({ email: 'first@accounts.example', password: 'correct horse battery staple' }),
  '/auth-service/password/forgot': () => ({ email: 'first@accounts.example' }),
  '/auth-service/password/reset': () => ({ token: `pr_${'A'.repeat(43)}`, password: 'correct horse battery staple' }),
  '/auth-service/password/change': () => ({ newPassword: 'correct horse battery staple' }),
  '/auth-service/reauthenticate': () => ({ password: 'correct horse battery staple' }),
  '/auth-service/email/verification': () => ({ email: 'first@accounts.example' }),
  '/auth-service/email/verify': () => ({ token: `ev_${'A'.repeat(43)}` }),
  '/auth-service/email/change': () => ({ newEmail: 'other@example.com' }),
  '/auth-service/email/change/undo': () => ({ token: `eu_${'A'.repeat(43)}` }),
  '/auth-service/login/magic-link': () => ({ email: 'first@accounts.example' }),
  '/auth-service/login/magic-link/verify': () => ({ token: `ml_${'A'.repeat(43)}` }),
  '/auth-service/login/email-otp': () => ({ email: 'first@accounts.example' }),
  '/auth-service/login/email-otp/verify': () => ({
    ...{ challengeId: '01890000-0000-7000-8000-000000000000', email: 'first@accounts.example', code: '123456' },
  }),
  '/auth-service/reauthenticate/email': () => ({}),
  '/auth-service/login/anonymous': () => ({}),
  '/auth-service/anonymous/upgrade': () => ({ email: 'other@example.com', password: 'correct horse battery staple' }),
  '/auth-service/token/refresh': () => ({ refreshToken: `rt_${'A'.repeat(43)}` }),
  '/auth-service/login/social': () => ({
    ...{ provider: 'google', redirectTo: 'https://app.example.com/in' },
    ...{ codeChallenge: 'A'.repeat(43), codeChallengeMethod: 'S256' },
  }),
  '/auth-service/identities/link': () => ({
    ...{ provider: 'google', redirectTo: 'https://app.example.com/in' },
    ...{ codeChallenge: 'A'.repeat(43), codeChallengeMethod: 'S256' },
  }),
  '/auth-service/token/exchange': () => ({ code: `oc_${'A'.repeat(43)}`, codeVerifier: 'A'.repeat(43) }),
  '/auth-service/social/providers/:provider': () => ({ clientId: CANARY, clientSecret: 'secret' }),
  '/auth-service/scim/directories': () => ({ name: 'Theirs' }),
  '/auth-service/scim/directories/:id': () => ({ name: CANARY }),
  '/auth-service/scim/tokens': () => ({ directoryId: NOBODY }),
  '/auth-service/sso/start': () => ({
    ...{ domain: 'corp.example', redirectTo: 'https://app.example.com/in', codeChallenge: 'A'.repeat(43) },
  }),
  '/auth-service/sso/connections': () => ({
    ...{ name: 'theirs', oidc: { issuer: 'https://idp.example', clientId: 'theirs', clientSecret: 'secret' } },
  }),
  '/auth-service/sso/connections/:id': () => ({ name: CANARY }),
  '/auth-service/sso/domains': () => ({ connectionId: NOBODY, domain: 'corp.example' }),
  '/auth-service/sso/domains/:id/verify': () => undefined,
  '/auth-service/logout': () => ({ scope: 'others' }),
  '/auth-service/mfa/challenge/:id/verify': () => ({ token: `mfc_${'A'.repeat(32)}`, code: '492039' }),
  '/auth-service/mfa/factors/:id': () => ({ code: '492039' }),
  '/auth-service/mfa/totp/enroll': () => ({}),
  '/auth-service/mfa/totp/confirm': () => ({ factorId: '01890a5d-ac96-774b-bcce-b302099a8057', code: '492039' }),
  '/auth-service/mfa/recovery-codes': () => ({}),
  '/auth-service/mfa/challenge/:id/passkey-options': () => ({ token: `mfc_${'A'.repeat(32)}` }),
  '/auth-service/login/passkey/options': () => ({}),
  '/auth-service/login/passkey/verify': () => ({ challengeId: '01890000-0000-7000-8000-000000000000', response: {} }),
  '/auth-service/reauthenticate/passkey/options': () => ({}),
  '/auth-service/passkeys/options': () => ({}),
  '/auth-service/passkeys': () => ({ challengeId: '01890000-0000-7000-8000-000000000000', response: {} }),
  '/auth-service/passkeys/:id': () => ({ name: CANARY }),
  '/auth-service/me': () => ({}),
  '/auth-service/users': () => ({ email: 'theirs@example.com' }),
  '/auth-service/users/bulk-import': () => ({ users: [{ email: 'theirs@example.com' }] }),
  '/auth-service/users/:id': () => ({ locale: 'en' }),
  '/auth-service/users/:id/impersonate': () => ({ reason: 'support' }),
  '/auth-service/jwt-template': () => ({ template: { theirs: 'yes' } }),
  '/auth-service/jwt-template/preview': () => ({}),
  '/auth-service/settings': () => ({ password: null }),
  '/auth-service/signing-keys/rotate': () => ({}),
  // What a stranger must not change, and what its owner leaves as it is.
  '/profiles/:userId': () => ({}),
  ...Object.fromEntries(
    Object.entries({ push: 'title', email: 'subject', sms: 'body' }).flatMap(([channel, field]) => [
      [
        `/${channel}/templates`,
        () => ({ name: 'Theirs', [field]: 't', ...(channel === 'email' ? { text: 't' } : {}) }),
      ],
      [`/${channel}/templates/:id`, () => ({ [field]: CANARY })],
      [`/${channel}/templates/:id/preview`, () => ({})],
    ]),
  ),
  ...Object.fromEntries(
    ['push', 'email', 'sms'].flatMap((channel) => [
      [`/${channel}/ab-tests`, () => ({ name: 'Theirs', variants: [{ key: 'a', weight: 100 }] })],
      [`/${channel}/ab-tests/:id`, () => ({})],
      [`/${channel}/ab-tests/:id/complete`, () => ({})],
    ]),
  ),
  '/profiles/:userId/subscriptions': () => ({}),
  '/automation/workflows/import': () => bundle('Theirs', NOBODY),
  '/automation/secrets/:name': () => ({ value: 'a token' }),
  '/automation/workflows': () => definition('Also theirs', NOBODY),
  '/automation/workflows/:id': () => ({ description: CANARY }),
};
