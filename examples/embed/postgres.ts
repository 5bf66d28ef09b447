// Beckon inside a program with its own PostgreSQL tables: an order and the email about it are one commit.
import { createBeckon } from '@beckon/core';
import pg from 'pg';

const [, , connectionString] = process.argv;
const pool = new pg.Pool({ connectionString });
await pool.query('create table if not exists orders (id text primary key, total integer not null)');
const beckon = await createBeckon({
  db: pool,
  masterKey: process.env['BECKON_MASTER_KEY'],
  org: { name: 'Example' },
  project: { name: 'Shop' },
});
const app = beckon.project;

/** Stores an order and queues its email, or does neither. */
const place = async (id: string, total: number): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into orders values ($1, $2)', [id, total]);
    const mail = { to: 'ada@example.com', subject: `Order ${id}`, text: `It comes to ${total}.` };
    await app.email.send(mail, { client, idempotencyKey: `order-${id}` });
    if (total < 0) throw new Error('an order costs something');
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
};

await place('17', 40);
await place('18', -1).catch((error: Error) => console.log(`Order 18: ${error.message}`));
// A long-running program calls beckon.worker.start() once instead.
await beckon.worker.drain();
const orders = (await pool.query<{ id: string }>('select id from orders')).rows.map(({ id }) => `Order ${id}`);
const mails = (await app.outbox.list()).data.map(({ content }) => 'subject' in content && content.subject);
await beckon.close();
await pool.end();

if (mails.join() !== 'Order 17' || orders.join() !== mails.join())
  throw new Error(`There are the orders ${orders} and mails about ${mails}.`);
console.log(`Stored and told of: ${mails}`);
