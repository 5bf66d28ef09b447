import { expect, it } from 'vitest';
import { EMAIL, openAuth } from '../../test/support/identity/world.ts';

/** More than the emails that an organization sends in a minute. */
const NEWSLETTER = 90;

it('H6 a newsletter that waits for the email rate limit does not delay the reset of a password', async () => {
  const arrived: string[] = [];
  const make = () => ({
    name: 'courier',
    maxInFlight: 5,
    send: async ({ to }: { readonly to: { readonly email: string } }) => {
      arrived.push(to.email);
      return { result: 'accepted', providerId: null } as const;
    },
    close: async () => undefined,
  });
  const from = { email: 'shop@example.com', name: 'Shop' };
  const world = await openAuth({ transports: { email: { name: 'courier', from, make } } });
  try {
    const scope = await world.environmentOf(world.scope, 'prod');
    await world.users.create(scope, { email: EMAIL, emailVerified: true });
    for (let n = 0; n < NEWSLETTER; n += 1) {
      const mail = { to: `reader-${n}@example.com`, subject: 'News', text: 'News', class: 'transactional' } as const;
      await world.beckon.email.send(scope, mail);
    }
    await world.beckon.worker.drain();
    expect(arrived).toHaveLength(60);
    await world.auth.forgotPassword(scope, { email: EMAIL });
    await world.beckon.worker.drain();
    expect(arrived.slice(60)).toEqual([EMAIL]);
  } finally {
    await world.close();
  }
});
