/*
 * Signs users up, many at a time, until it is killed, and prints each address that was acknowledged. One argument: JSON of
 * `SignUps`.
 */
import { createBeckon } from '../../../core/src/app/create.ts';
import { quickHashes } from '../../../core/test/support/identity/quick-hashes.ts';
import type { SignUps } from './sign-up-rounds.ts';

/** Sign-ups under way at a time. */
const AT_ONCE = 16;

// Safe: sign-up-rounds.ts is the only caller.
const { url, masterKey, project, round } = JSON.parse(process.argv[2] ?? '') as SignUps;

const beckon = await createBeckon(
  {
    ...{ db: url, masterKey, publicUrl: 'https://beckon.test' },
    hooks: {
      auth: {
        during: (events, tx) => {
          const users = events.filter(({ name }) => name === 'user.signed_up').map(({ userId }) => userId);
          if (tx.dialect === 'sqlite') {
            for (const userId of users) tx.query('insert into host_users (user_id) values (?)', [userId]);
            return;
          }
          const { query } = tx;
          return Promise.all(
            users.map((userId) => query('insert into host_users (user_id) values ($1)', [userId])),
          ).then(() => undefined);
        },
      },
    },
  },
  // Commits, not hashes, are what a kill should hit.
  { hashPool: quickHashes() },
);
const scope = await beckon.tenancy.scope({ ...project, environment: 'test' });
let made = 0;
const signUp = async (): Promise<never> => {
  for (;;) {
    made += 1;
    const email = `u${round}-${made}@shop.example`;
    await beckon.auth.signUp(scope, { email, password: 'correct horse battery' });
    process.stdout.write(`${email}\n`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, signUp));
