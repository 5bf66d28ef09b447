// Two devices, pushed to by getMessaging().send(): one is reached, the other has removed the app.
import { createBeckon, newMasterKey } from '@beckon/core';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { fcm } from './fcm.ts';
import { firebase } from './firebase.ts';

const google = await fcm();
// A real program says `credential: cert(serviceAccount)` and no agent.
const app = initializeApp({
  projectId: 'shop',
  credential: { getAccessToken: async () => ({ access_token: 'a-token-of-google', expires_in: 3_600 }) },
  httpAgent: google.agent,
});
const own = { name: 'firebase-admin', make: () => firebase(getMessaging(app)) };
const beckon = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: newMasterKey(),
  transports: { push: { android: own } },
});
try {
  const org = await beckon.tenancy.createOrg({ name: 'Example' });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'Shop' });
  const scope = await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'prod' });
  await beckon.events.identify(scope, { userId: 'ada', traits: { name: 'Ada' } });
  for (const token of ['here', 'gone'])
    await beckon.tokens.register(scope, { token, platform: 'android', userId: 'ada' });
  await beckon.push.send(scope, { userIds: ['ada'], title: 'Shipped', body: 'Your order is on its way.' });
  await beckon.worker.drain();

  const { tokens = [] } = await beckon.profiles.get(scope, 'ada');
  const { byProvider, tokensInvalidated } = await beckon.sends.health(scope, 'push');
  const health = JSON.stringify({ ...byProvider, tokensInvalidated });
  const [first] = google.requests;
  if (first?.url !== '/v1/projects/shop/messages:send') throw new Error('FCM was not asked.');
  if (first.headers.authorization !== 'Bearer a-token-of-google') throw new Error('The token of Google is missing.');
  if (!/fire-admin/.test(String(first.headers['x-firebase-client']))) throw new Error('It was not the SDK that asked.');
  if (health !== '{"firebase-admin":{"sent":1,"failed":1},"tokensInvalidated":1}')
    throw new Error(`Health says ${health}`);
  const active = tokens.filter(({ isActive }) => isActive).map(({ token }) => token);
  if (active.join() !== 'here') throw new Error(`Active tokens: ${active.join()}`);
  console.log(`FCM was asked for ${google.requests.length} pushes by the SDK; ${health}`);
} finally {
  await beckon.close();
  await deleteApp(app);
  await google.stop();
}
