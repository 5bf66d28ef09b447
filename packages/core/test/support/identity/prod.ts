import { onTestFinished } from 'vitest';
import type { BeckonOptions } from '../../../src/app/options.ts';
import type { Scope } from '../../../src/foundation/scope.ts';
import { type Relay, startRelay } from '../transports/smtp-server.ts';
import { TEST_CA } from '../transports/tls/fixtures.ts';
import { type AuthWorld, openAuth, secretsOf } from './world.ts';

/** A relay that receives emails, ended with the test. */
type Prod = {
  readonly world: AuthWorld;
  readonly scope: Scope;
  readonly relay: Relay;
  /** The last email that the relay received, to any or one address, with its secrets. */
  last(to?: string): Promise<{ to: string; text: string; token: string; code: string }>;
};

/** A world whose environment `prod` sends by SMTP to a relay of this machine. */
export const openProd = async (more: Partial<BeckonOptions> = {}): Promise<Prod> => {
  const relay = await startRelay({ shop: 'relay-password' });
  onTestFinished(() => relay.stop());
  const outbound = { allowCidrs: ['127.0.0.0/8'], ca: TEST_CA, smtp: { allowedPorts: [relay.port] } };
  const world = await openAuth({ outbound, ...more });
  onTestFinished(() => world.close());
  const scope = await world.environmentOf(world.scope, 'prod');
  const smtp = { host: '127.0.0.1', port: relay.port, secure: false, user: 'shop', password: 'relay-password' };
  await world.beckon.settings.update(scope, 'email', { smtp: { ...smtp, from: 'shop@shop.test' } });
  return {
    ...{ world, scope, relay },
    last: async (to) => {
      await world.beckon.worker.drain();
      const email = relay.received.findLast((one) => to === undefined || one.to.includes(to));
      if (!email) throw new Error('the relay received no email');
      return { to: email.to[0] ?? '', text: email.text, ...secretsOf(email.text) };
    },
  };
};
