import { type Eraser, SLICE, sliced } from '../../platform/erasure/eraser.ts';
import type { EventStore } from './store.ts';

/** Erasers of profiles' events and of their raised events that no worker has processed. */
export const eventErasers = (store: Pick<EventStore, 'erase' | 'eraseRaised'>): readonly Eraser[] => [
  {
    name: 'raised events',
    begin:
      ({ scope, people }) =>
      async () => ({ rows: await store.eraseRaised(scope, people), isMore: false }),
  },
  sliced('events', ({ scope, people }) => store.erase(scope, people, SLICE)),
];
