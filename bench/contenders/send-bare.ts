// A loop that only sends: with the product's own transport, the library beneath it, or another sender.
import type { Benched } from '../lib/benched.ts';
import { answerParent, meter, type Usage } from '../lib/child.ts';
import { bareCaller } from './send/bare.ts';
import { type Caller, callAll } from './send/caller.ts';
import type { World } from './send/fixtures.ts';
import { libraryCaller } from './send/libraries.ts';
import { peerCaller } from './send/peers.ts';

export type Start = {
  readonly provider: Benched;
  readonly world: World;
  readonly over: 'transport' | 'library' | 'peer';
  /** Checkout whose dependencies are used, and the folder where other senders are installed. */
  readonly root: string;
  readonly peers: string;
};
export type Done = Usage & { readonly wallMs: number };

const usage = meter();
let caller: Caller | undefined;

const callerOf = ({ provider, world, over, root, peers }: Start): Promise<Caller> => {
  switch (over) {
    case 'transport':
      return bareCaller(provider, world);
    case 'library':
      return libraryCaller(provider, world, root);
    case 'peer':
      return peerCaller(provider, world, peers);
  }
};

const start = async (given: Start): Promise<void> => {
  caller = await callerOf(given);
};

const run = async (count: number): Promise<Done> => {
  if (!caller) throw new Error('not started');
  usage.begin();
  const wallMs = await callAll(caller, count);
  return { ...usage.end(), wallMs };
};

answerParent({ start, run });
