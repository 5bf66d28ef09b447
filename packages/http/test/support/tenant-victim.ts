// Something of everything for the tenant that strangers must not see.

import { type Beckon, CHANNELS, type Scope, type Step } from '@beckon/core';
import { enrollAndSignIn } from '../../../core/test/support/identity/enroll.ts';
import type { MisbehavingProvider } from '../../../core/test/support/identity/misbehaving-provider.ts';
import { addPasskey } from '../../../core/test/support/identity/passkey.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import { socialWorld } from './openapi/social.ts';
import { bundle, CANARY, definition, PASSWORD, TRAITS } from './tenant-bodies.ts';

const PAGE = 'https://app.example.com/in';

/** Fills a tenant; returns its ids by the paths that name them. */
export const fillVictim = async (
  beckon: Beckon,
  scope: Scope,
  idp: MisbehavingProvider,
): Promise<Record<string, string>> => {
  await beckon.workflows.importBundle(scope, bundle(CANARY));
  const [workflow] = (await beckon.workflows.list(scope)).data;
  const doomed = await beckon.workflows.create(scope, { ...definition(`${CANARY} 2`), isActive: false });
  const userId = `user-${CANARY}`;
  const template = async (name: string): Promise<Record<string, string>> => {
    const [push, email, sms] = await Promise.all([
      beckon.templates.create(scope, 'push', { name, title: CANARY }),
      beckon.templates.create(scope, 'email', { name, subject: CANARY, text: 't' }),
      beckon.templates.create(scope, 'sms', { name, body: CANARY }),
    ]);
    return { push: push.id, email: email.id, sms: sms.id };
  };
  const templates = Object.entries(await template(CANARY));
  const dropped = Object.entries(await template(`${CANARY} 2`));
  await beckon.events.identify(scope, { userId, traits: TRAITS });
  const event = await beckon.events.track(scope, { module: 'm', eventType: 'signed_up', userId });
  const device = { token: `fcm:${CANARY}`, platform: 'android', userId } as const;
  const { token } = await beckon.tokens.register(scope, device);
  const fenceOf = () => beckon.geofences.create(scope, { name: CANARY, lat: 1, lng: 1, radiusMeters: 100 });
  const webhookOf = (isPulled: boolean) =>
    beckon.webhooks.create(scope, {
      ...{ url: `https://${CANARY}.example/`, description: CANARY, events: ['user.identified'], isPulled },
    });
  const [webhook, doomedWebhook, posted] = [await webhookOf(true), await webhookOf(true), await webhookOf(false)];
  const delivery = await beckon.webhooks.test(scope, webhook.id);
  const cancelled = await beckon.webhooks.test(scope, posted.id);
  await beckon.webhooks.update(scope, posted.id, { isActive: false });
  await beckon.worker.drain();
  await beckon.webhooks.update(scope, posted.id, { isActive: true, events: ['sms.failed'] });
  const [fence, doomedFence] = [await fenceOf(), await fenceOf()];
  const listOf = async (name: string) => {
    const { id } = await beckon.audiences.create(scope, { name });
    await beckon.audiences.addMembers(scope, id, { userIds: [userId] });
    return id;
  };
  const [audience, doomedAudience] = [await listOf(CANARY), await listOf(`${CANARY} too`)];
  const externalId = `activity-${CANARY}`;
  const activity = { userId: `watcher-${CANARY}`, activityType: 'A', externalId, pushToken: 'ab'.repeat(32) };
  await beckon.liveActivities.registerToken(scope, activity);
  const tags = { canary: CANARY };
  await beckon.push.send(scope, { userIds: [userId], title: CANARY });
  await beckon.sms.send(scope, { userIds: [userId], body: CANARY, tags });
  await beckon.settings.update(scope, 'sms', {
    twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: CANARY },
  });
  await beckon.suppressions.add(scope, 'email', { address: `listed-${CANARY}@example.com` });
  await beckon.worker.drain();
  const [run] = (await beckon.runs.list(scope)).data;
  /** A run of somebody who has nothing else, as it stands after its first step. */
  const runOf = async (step: Step) => {
    const [eventType, other] = [`at ${step.type}`, `other-${CANARY}`];
    await beckon.workflows.create(scope, {
      ...definition(`${CANARY} ${step.type}`),
      isActive: true,
      trigger: { eventType },
      steps: [step],
    });
    await beckon.events.track(scope, { module: 'm', eventType, userId: other });
    await beckon.worker.drain();
    return (await beckon.runs.list(scope, { userId: other })).data[0]?.id ?? '';
  };
  const waiting = await runOf({ type: 'wait', config: { minutes: 60 } });
  const nowhere = { subject: 's', text: 't', to: '{{trait.missing}}', onError: 'stop' } as const;
  const stopped = await runOf({ type: 'send_email', config: nowhere });
  const [send] = (await beckon.sends.list(scope, 'email')).data;
  const [push] = (await beckon.sends.list(scope, 'push')).data;
  const [message] = (await beckon.sends.messages(scope, 'push', push?.id ?? '')).data;
  const [text] = (await beckon.sends.list(scope, 'sms')).data;
  const messageOf = async (channel: 'email' | 'sms', id: string | undefined) =>
    (await beckon.sends.messages(scope, channel, id ?? '')).data[0]?.id ?? '';
  const later = { userIds: [userId], tags, scheduledFor: new Date(Date.now() + 3_600_000).toISOString() };
  const scheduled = await Promise.all([
    beckon.push.send(scope, { ...later, title: 't' }),
    beckon.email.send(scope, { ...later, subject: 's', text: 't' }),
    beckon.sms.send(scope, { ...later, body: 't' }),
  ]);
  for (const gone of ['gone', `erased-${CANARY}`])
    await beckon.events.identify(scope, { userId: gone, traits: TRAITS });
  const { erasureId } = await beckon.profiles.erase(scope, 'gone');
  const [own1, own2] = [
    await beckon.emailDomains.create(scope, { domain: `${CANARY}-1.test` }),
    await beckon.emailDomains.create(scope, { domain: `${CANARY}-2.test` }),
  ];
  const userOf = async (name: string) => {
    const email = `${name}@accounts.example`;
    const { id } = await beckon.users.create(scope, {
      ...{ email, name: CANARY, emailVerified: true, password: PASSWORD },
    });
    return { id, sessionId: (await tokensOf(beckon.auth.signIn(scope, { email, password: PASSWORD }))).sessionId };
  };
  const [account, doomedAccount] = [await userOf('first'), await userOf('second')];
  const guarded = { email: 'third@accounts.example', password: PASSWORD };
  await beckon.users.create(scope, { ...guarded, emailVerified: true });
  const { factorId, challenge } = await enrollAndSignIn(beckon, scope, guarded);
  const ownSession = await tokensOf(beckon.auth.signIn(scope, { email: 'member@example.com', password: PASSWORD }));
  const [own, doomedOwn] = [
    await addPasskey(beckon, scope, ownSession.accessToken),
    await addPasskey(beckon, scope, ownSession.accessToken),
  ];
  await beckon.auth.updateSettings(scope, { redirectUris: [PAGE] });
  const social = socialWorld(beckon, scope, idp, PAGE);
  await social.setUp();
  const identity = await social.link(await beckon.auth.authenticate(scope, ownSession.accessToken));
  await beckon.auth.updateSocialProvider(scope, 'google', { clientId: CANARY });
  const directoryOf = async () => (await beckon.auth.createScimDirectory(scope, { name: CANARY })).id;
  const [directory, doomedDirectory] = [await directoryOf(), await directoryOf()];
  const { id: scimToken } = await beckon.auth.createScimToken(scope, { directoryId: directory });
  const connectionOf = (name: string) =>
    beckon.auth.createSsoConnection(scope, {
      ...{ name, oidc: { issuer: `https://${CANARY}.example`, clientId: CANARY, clientSecret: CANARY } },
    });
  const [connection, doomedConnection] = [await connectionOf(CANARY), await connectionOf(`${CANARY} 2`)];
  const ssoDomainOf = async (name: string) =>
    (await beckon.auth.createSsoDomain(scope, { connectionId: connection.id, domain: `${name}.example` })).id;
  const [ssoDomain, doomedSsoDomain] = [await ssoDomainOf(CANARY), await ssoDomainOf(`second-${CANARY}`)];
  const tests: Record<string, string> = {};
  for (const channel of CHANNELS) {
    const body = { name: CANARY, variants: [{ key: CANARY, weight: 100 }] };
    const make = () => beckon.abTests.create(scope, channel, body);
    tests[`/${channel}/ab-tests`] = (await make()).id;
    tests[`POST /${channel}/ab-tests/:id/complete`] = (await make()).id;
  }
  await beckon.secrets.set(scope, CANARY, { value: CANARY });
  return {
    ...tests,
    '/automation/secrets': CANARY,
    '/auth-service/mfa/challenge': challenge.id,
    '/auth-service/mfa/factors': factorId,
    '/auth-service/passkeys': own.passkey.id,
    'DELETE /auth-service/passkeys': doomedOwn.passkey.id,
    '/auth-service/scim/directories': directory,
    'DELETE /auth-service/scim/directories': doomedDirectory,
    '/auth-service/scim/tokens': scimToken,
    '/auth-service/users': account.id,
    'DELETE /auth-service/users': doomedAccount.id,
    '/auth-service/sessions': ownSession.sessionId,
    '/auth-service/identities': identity,
    '/auth-service/sso/connections': connection.id,
    'DELETE /auth-service/sso/connections': doomedConnection.id,
    '/auth-service/sso/domains': ssoDomain,
    'DELETE /auth-service/sso/domains': doomedSsoDomain,
    '/auth-service/social/providers': 'google',
    'DELETE /auth-service/social/providers': 'github',
    // A send that is over cannot be cancelled by its owner either.
    ...Object.fromEntries(scheduled.map((one) => [`DELETE /${one.channel}/sends`, 'id' in one ? one.id : ''])),
    '/sms/sends': text?.id ?? '',
    ...Object.fromEntries(templates.map(([channel, id]) => [`/${channel}/templates`, id])),
    ...Object.fromEntries(dropped.map(([channel, id]) => [`DELETE /${channel}/templates`, id])),
    userId,
    'DELETE userId': `erased-${CANARY}`,
    '/profiles/erasures': erasureId,
    '/events': event.id,
    '/automation/workflows': workflow?.id ?? '',
    '/analytics/workflows': workflow?.id ?? '',
    'DELETE /automation/workflows': doomed.id,
    '/automation/runs': run?.id ?? '',
    'POST /automation/runs/:id/cancel': waiting,
    'POST /automation/runs/:id/retry': stopped,
    '/email/domains': own1.id,
    'DELETE /email/domains': own2.id,
    'POST /email/domains/:id/verify': own1.id,
    '/email/sends': send?.id ?? '',
    '/push/tokens': token.id,
    '/push/live-activities': externalId,
    '/audiences': audience,
    'DELETE /audiences': doomedAudience,
    'DELETE /audiences/:id/members': audience,
    '/webhooks': webhook.id,
    'DELETE /webhooks': doomedWebhook.id,
    'POST /webhooks/:id/test': webhook.id,
    '/webhooks/deliveries': delivery.id,
    'POST /webhooks/deliveries/:id/replay': cancelled.id,
    '/push/geofences': fence.id,
    'DELETE /push/geofences': doomedFence.id,
    '/push/sends': push?.id ?? '',
    '/push/messages': message?.id ?? '',
    '/email/messages': await messageOf('email', send?.id),
    '/sms/messages': await messageOf('sms', text?.id),
    message: message?.id ?? '',
  };
};
