import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addresses, draftTo, numbered, openWorld, TEST, type World } from '../../../../test/support/sends/world.ts';

describe('a commit whose answer was lost', () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.close());

  it('outcomes that are written again after a lost commit answer are counted once', async () => {
    const { id } = await world.accept(TEST, draftTo(addresses(...numbered(3))));
    const rows = await world.messages.claim(2);
    const outcomes = await world.messages.process(rows);
    await world.messages.commit(outcomes);
    await world.messages.commit(outcomes);
    const { status, counts } = await world.sending.sends.get(TEST, 'email', id);
    expect({ status, counts }).toMatchObject({
      status: 'sending',
      counts: { targeted: 3, queued: 1, sent: 2, failed: 0, suppressed: 0 },
    });
  });
});
