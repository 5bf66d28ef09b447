import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addresses, draftTo, numbered, openWorld, PROD, type World } from '../../../../test/support/sends/world.ts';
import type { SendOutcome } from '../../../delivery/transports/port.ts';

const refused: SendOutcome = { result: 'retry', code: 'ECONNREFUSED', message: 'No server.', processed: 'no' };

describe('an unreachable provider', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
    world.credentials.configure({ ...PROD, channel: 'email' }, () => refused);
  });
  afterEach(() => world.close());

  it('an unreachable provider is logged once for all its messages, and again a minute later', async () => {
    await world.accept(PROD, draftTo(addresses(...numbered(20))));
    await world.messages.turn();
    expect(world.warnings).toEqual([
      expect.objectContaining({ scopeId: PROD.scopeId, channel: 'email', code: 'ECONNREFUSED' }),
    ]);
    world.clock.advance(3_600_000);
    await world.messages.turn();
    expect(world.warnings).toHaveLength(2);
  });
});
