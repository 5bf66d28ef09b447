import type { Beckon, Scope } from '@beckon/core';
import { eq, getTableColumns, getTableName, type Table } from 'drizzle-orm';
import type { TestDatabase } from '../../../core/test/support/database.ts';
import { enrollAndSignIn } from '../../../core/test/support/identity/enroll.ts';
import { addPasskey } from '../../../core/test/support/identity/passkey.ts';
import { tokensOf } from '../../../core/test/support/identity/tokens.ts';
import type { Handler } from '../../src/index.ts';

/** Reasons why a table needs no row of the second tenant. The tenant tests fail for any other table without one. */
const WITHOUT_SECOND_TENANT: Readonly<Record<string, string>> = {
  ai_calls: 'needs an AI provider that answers; ai-action.db.test.ts',
  ai_settings: 'set by the deployment or an org key; ai/settings tests',
  ai_usage: 'needs the shared AI provider; ai-action.db.test.ts',
  auth_saml_seen: 'needs a signed response of an identity provider; identity/sso.db.test.ts',
  auth_identities: 'needs a provider that answers; identity/linking.db.test.ts',
  analytics_query_slots: 'exists on PostgreSQL while a query runs',
  call_rates: 'set by the operator of the deployment, never by a tenant',
  callback_events: 'needs a signed request of a provider; organizations.db.test.ts',
  callback_secrets: 'needs a signed request of a provider; organizations.db.test.ts',
  callbacks: 'needs a signed request of a provider; organizations.db.test.ts',
  cap_locks: 'PostgreSQL alone, a lock without content',
  person_events: 'counted a minute after an audience first asks; people/audiences/counting tests',
  raised_events: 'a queue that the worker empties',
  run_budgets: 'written only for runs that cause further runs; automation/runs/shares.db.test.ts',
  variant_counts: 'needs an open of a variant, counted by ab-tests tests',
};

/** Fills the tables of a second tenant that a stranger's calls leave empty. */
export const fillSecondTenant = async (
  beckon: Beckon,
  handler: Handler,
  { scope, key }: { readonly scope: Scope; readonly key: string },
): Promise<void> => {
  const userId = 'second-user';
  await beckon.settings.update(scope, 'sms', { twilio: { accountSid: `AC${'1'.repeat(32)}`, authToken: 'token' } });
  await beckon.settings.update(scope, 'push', {
    frequencyCap: { enabled: true, rules: [{ channel: 'push', max: 100, per: { n: 1, unit: 'day' } }] },
  });
  await beckon.workflows.create(scope, {
    ...{ name: 'Second', description: null, isActive: true, trigger: { eventType: 'second_started' } },
    steps: [
      { type: 'send_email', config: { subject: 's', text: 't' } },
      { type: 'wait', config: { event: { eventType: 'second_ended', timeoutMinutes: 60, onTimeout: 'continue' } } },
    ],
  });
  await beckon.audiences.create(scope, {
    name: 'Second started',
    predicate: { event: 'second_started', op: 'performed', within: { n: 7, unit: 'days' } },
  });
  const list = await beckon.audiences.create(scope, { name: 'Second list' });
  await beckon.audiences.addMembers(scope, list.id, { userIds: [userId] });
  const webhook = await beckon.webhooks.create(scope, {
    ...{ url: 'https://second.example/', events: ['user.identified'], isPulled: true },
  });
  await beckon.webhooks.test(scope, webhook.id);
  await beckon.events.identify(scope, {
    userId,
    anonymousId: 'second-device',
    traits: { email: 'second@example.com' },
  });
  const event = { module: 'm', eventType: 'second_started', userId, messageId: 'second-message' };
  await beckon.events.track(scope, event);
  await beckon.tokens.register(scope, { token: 'fcm:second', platform: 'android', userId });
  const fence = await beckon.geofences.create(scope, { name: 'Second', lat: 1, lng: 1, radiusMeters: 100 });
  await beckon.geofences.report(scope, { geofenceId: fence.id, transition: 'entered', userId });
  const starts = { userId, activityType: 'A', pushToken: 'ef'.repeat(32), kind: 'push_to_start' } as const;
  await beckon.liveActivities.registerToken(scope, starts);
  await beckon.liveActivities.start(scope, {
    ...{ activityType: 'A', externalId: 'second', attributesType: 'T', attributes: {}, contentState: {} },
    ...{ alert: { title: 't', body: 'b' }, userIds: [userId] },
  });
  await beckon.suppressions.add(scope, 'email', { address: 'second-listed@example.com' });
  await beckon.subscriptions.update(scope, userId, { sms: { subscribed: false } });
  await beckon.push.send(scope, { userIds: [userId], title: 'Second' });
  await beckon.events.identify(scope, { userId: 'second-gone', traits: {} });
  await beckon.profiles.erase(scope, 'second-gone');
  const account = { email: 'second-account@example.com', password: 'correct horse battery staple' };
  await beckon.users.create(scope, { ...account, emailVerified: true });
  const passwordHash = '$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a';
  await beckon.users.import(scope, { users: [{ email: 'moved@imported.example', passwordHash }] });
  const { accessToken } = await tokensOf(beckon.auth.signIn(scope, account));
  await addPasskey(beckon, scope, accessToken);
  const { challenge } = await enrollAndSignIn(beckon, scope, account);
  const wrong = { token: challenge.token, code: '000000' };
  await beckon.auth.verifyMfa(scope, challenge.id, wrong).catch(() => undefined);
  await beckon.auth.forgotPassword(scope, { email: account.email });
  await beckon.auth.updateSettings(scope, { password: { minLength: 10 } });
  await beckon.auth.updateClaimsTemplate(scope, { template: { plan: '{{trait.plan}}' } });
  await beckon.auth.updateSocialProvider(scope, 'gitlab', { clientId: 'second', clientSecret: 'secret' });
  const directory = await beckon.auth.createScimDirectory(scope, { name: 'Second' });
  const { token } = await beckon.auth.createScimToken(scope, { directoryId: directory.id });
  const provision = async (path: string, body: object): Promise<string> => {
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1/api/v1/auth-service/scim/v2${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      }),
    );
    if (answer.status !== 201) throw new Error(`SCIM answered ${answer.status}`);
    // Safe: a created resource has an id.
    return ((await answer.json()) as { id: string }).id;
  };
  const member = await provision('/Users', { userName: 'second-member@directory.example' });
  await provision('/Groups', { displayName: 'Second', members: [{ value: member }] });
  const connection = await beckon.auth.createSsoConnection(scope, {
    ...{ name: 'Second', oidc: { issuer: 'https://second.example', clientId: 'second', clientSecret: 'secret' } },
  });
  await beckon.auth.createSsoDomain(scope, { connectionId: connection.id, domain: 'second.example' });
  await beckon.limits.setEmailProbation(scope.orgId, true);
  // Over HTTP, because idempotency keys belong to requests.
  const mail = await handler.fetch(
    new Request('http://127.0.0.1/api/v1/email/send', {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'second' },
      body: JSON.stringify({ userIds: [userId], subject: 's', text: 't' }),
    }),
  );
  if (mail.status !== 201) throw new Error(`the mail of the second tenant was answered with ${mail.status}`);
  await beckon.worker.drain();
};

/** Tables without a row of this tenant's scope, project or organization, for which no reason is known. */
export const emptyTables = async ({ storage, tables }: TestDatabase, scope: Scope): Promise<string[]> => {
  const values = { scopeId: scope.scopeId, projectKey: scope.projectKey, orgId: scope.orgId };
  const empty: string[] = [];
  for (const table of Object.values<Table>(tables)) {
    const columns = getTableColumns(table);
    const [column, value] = Object.entries(values).find(([name]) => name in columns) ?? [];
    const key = column === undefined ? undefined : columns[column];
    if (key === undefined) continue;
    const rows = await storage.db.select({ key }).from(table).where(eq(key, value)).limit(1);
    const name = getTableName(table);
    if (rows.length === 0 && !(name in WITHOUT_SECOND_TENANT)) empty.push(name);
  }
  return empty;
};
