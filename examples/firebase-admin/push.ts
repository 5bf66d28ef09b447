// Two devices, pushed to by getMessaging().send(): one is reached, the other has removed the app.
import { createBeckon } from '@beckon/core';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { fcm } from './fcm.ts';
import { firebase } from './firebase.ts';

const google = await fcm();
// A real program passes `credential: cert(serviceAccount)` and no agent.
const app = initializeApp({
  projectId: 'shop',
  credential: { getAccessToken: async () => ({ access_token: 'a-token-of-google', expires_in: 3_600 }) },
  httpAgent: google.agent,
});
const own = { name: 'firebase-admin', make: () => firebase(getMessaging(app)) };
const beckon = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
  environment: 'prod',
  transports: { push: { android: own } },
});
try {
  const app = beckon.project;
  await app.events.identify({ userId: 'ada', traits: { name: 'Ada' } });
  for (const token of ['here', 'gone']) await app.tokens.register({ token, platform: 'android', userId: 'ada' });
  await app.push.send({ userIds: ['ada'], title: 'Shipped', body: 'Your order is on its way.' });
  await beckon.worker.drain();

  const { tokens = [] } = await app.profiles.get('ada');
  const { byProvider, tokensInvalidated } = await app.sends.health('push');
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
