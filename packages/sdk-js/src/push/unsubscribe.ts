import { internalsOf } from '../internals.ts';

/** The slot with the scope of the service worker whose subscription `reset` ends. */
export const WORKER_SCOPE = 'scope';

/** Ends the subscription of this browser when the client is reset, on whichever page it was created. */
export const unsubscribeOnReset = (client: object): void => {
  const { g, slots, onReset } = internalsOf(client);
  onReset(async () => {
    const scope = slots.get(WORKER_SCOPE);
    if (!scope) return;
    slots.delete(WORKER_SCOPE);
    const registration = await g.navigator?.serviceWorker?.getRegistration(scope);
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  });
};
