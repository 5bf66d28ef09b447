// A shop that sends email through its own transport, and marks orders in the transaction that finalizes the email.
import { createBeckon, type EndedMessage } from '@beckon/core';
import { courier } from './courier.ts';
import { courierStandIn } from './stand-in.ts';

const provider = await courierStandIn();
const confirmed: EndedMessage[] = [];
const marked: unknown[] = [];

const beckon = await createBeckon({
  db: 'sqlite::memory:',
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
  environment: 'prod',
  transports: {
    email: {
      name: 'courier',
      from: { email: 'shop@example.com', name: 'Shop' },
      make: () => courier(provider.url, provider.key),
    },
  },
  hooks: {
    events: {
      // The order and its event are one commit. On SQLite it is synchronous; on PostgreSQL `query` returns a promise.
      during: (events, tx) => {
        if (tx.dialect !== 'sqlite') throw new TypeError('this shop keeps its orders in SQLite');
        tx.query('create table if not exists orders (number integer primary key, user_id text, mailed_at text)');
        for (const { eventType, userId, properties } of events)
          if (eventType === 'order.placed')
            tx.query('insert into orders (number, user_id) values (?, ?)', [properties['order'], userId]);
      },
    },
    messages: {
      // "Mailed" and the message's final status are one commit.
      during: (messages, tx) => {
        if (tx.dialect !== 'sqlite') throw new TypeError('this shop keeps its orders in SQLite');
        for (const { userId, status, endedAt } of messages)
          if (status === 'sent')
            tx.query('update orders set mailed_at = ? where user_id = ?', [endedAt.toISOString(), userId]);
        marked.splice(0, marked.length, ...tx.query('select number, mailed_at from orders'));
      },
      // Runs after the commit, and is lost if the process is killed: only for what may be missed.
      after: (messages) => void confirmed.push(...messages),
    },
  },
});
try {
  const app = beckon.project;
  await app.events.identify({ userId: 'ada', traits: { email: 'ada@example.com' } });
  const order = { module: 'shop', eventType: 'order.placed', userId: 'ada', properties: { order: 7 } };
  await app.events.track(order);
  await app.email.send({ userIds: ['ada'], subject: 'Thank you', text: 'We have your order.' });
  await beckon.worker.drain();
  const { byProvider } = await app.sends.health('email');
  await beckon.close();
  const [mail] = provider.mails();
  if (mail?.to !== 'ada@example.com') throw new Error('Courier has no mail to Ada.');
  if (confirmed[0]?.status !== 'sent') throw new Error('The shop was not told that the mail was sent.');
  if (JSON.stringify(byProvider) !== '{"courier":{"sent":1,"failed":0}}')
    throw new Error('Health does not name Courier.');
  if (!JSON.stringify(marked).includes('"mailed_at":"20')) throw new Error('The order is not marked.');
  console.log(`Courier took "${mail.subject}" to ${mail.to}; orders: ${JSON.stringify(marked)}`);
} finally {
  await beckon.close();
  await provider.stop();
}
