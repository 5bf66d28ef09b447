/*
 * A host program that stores an order and queues an email in one transaction: `URL MASTER_KEY SCOPE before|after`. It
 * prints its position, before or after its COMMIT, and waits there to be killed.
 */
import pg from 'pg';
import { createBeckon, type Scope } from '../../src/index.ts';

const [url = '', masterKey = '', scope = '', stop = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url });
const beckon = await createBeckon({ db: pool, masterKey });
const client = await pool.connect();
await client.query('begin');
await client.query('insert into orders values ($1)', [stop]);
// Proof of the cast: the test that starts this program wrote it.
const own = await beckon.tenancy.scope(JSON.parse(scope) as Scope);
await beckon.events.track(own, { module: 'shop', eventType: 'order.placed', userId: 'ann' }, { client });
await beckon.email.send(own, { to: 'ann@example.com', subject: stop, text: 't' }, { client });
if (stop === 'after') await client.query('commit');
console.log('ready');
setInterval(() => undefined, 60_000);
