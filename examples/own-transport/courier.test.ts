// The transport contract of Beckon, run with this transport: npx vitest run --config
// examples/own-transport/vitest.config.ts
import { transportContract } from '@beckon/core/testing';
import { courier } from './courier.ts';
import { courierStandIn } from './stand-in.ts';

const NO_ODDITIES = 'The stand-in of this example answers whole or not at all.';
const keys = new WeakMap<object, { readonly url: string; readonly key: string }>();

transportContract('courier', {
  start: async () => {
    const standIn = await courierStandIn();
    keys.set(standIn, standIn);
    return standIn;
  },
  make: (standIn, { credential, limitMs } = {}) => {
    const { url, key } = keys.get(standIn) ?? { url: '', key: '' };
    return courier(url, credential === 'wrong' ? 'another-key' : key, limitMs);
  },
  settings: undefined,
  without: {
    retryAfter: NO_ODDITIES,
    hangingBody: NO_ODDITIES,
    silentPeer: NO_ODDITIES,
    refusedConnection: NO_ODDITIES,
    resets: NO_ODDITIES,
    oddAnswers: NO_ODDITIES,
    restart: NO_ODDITIES,
    sockets: 'The stand-in does not count its connections.',
    sharing: 'Courier knows one key.',
    size: 'Courier has no limit.',
  },
});
