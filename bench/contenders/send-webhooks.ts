// The built product with a worker and webhooks, whose receivers are the stand-in.
import { answerParent } from '../lib/child.ts';
import { traitsOf, userId } from '../lib/fixtures.ts';
import { HOOK_EVENT, hookUrl, RECEIVERS } from './send/hooks.ts';
import { atWork, each, openService, type Service } from './send/service.ts';
import type { Start } from './send.ts';

let service: Service | undefined;
let turns = 0;

const running = (): Service => {
  if (!service) throw new Error('not started');
  return service;
};

const start = async ({ root, db, world }: Pick<Start, 'root' | 'db' | 'world'>): Promise<void> => {
  service = await openService(root, db, world);
  const { beckon, scope } = service;
  for (let at = 0; at < RECEIVERS; at += 1)
    await beckon.webhooks.create(scope, { url: hookUrl(world.peers, at), events: [HOOK_EVENT] });
};

/** Identifies as many users as cause this many deliveries; nothing is posted before `begin`. */
const accept = async (count: number): Promise<void> => {
  const { beckon, scope } = running();
  turns += 1;
  await each(count / RECEIVERS, (index) =>
    beckon.events.identify(scope, { userId: userId(index), traits: traitsOf(index, turns) }),
  );
};

answerParent({ start, accept, ...atWork(running) });
