import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

describe('places', () => {
  const never = new AbortController().signal;

  it('lets the one who waits longest in first', async () => {
    const room = places(1);
    const order: string[] = [];
    await room.take(never);
    const waiting = ['a', 'b'].map(async (name) => {
      await room.take(never);
      order.push(name);
      room.give();
    });
    room.give();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b']);
  });

  it('holds no place for one who stopped waiting', async () => {
    const room = places(1);
    await room.take(never);
    const controller = new AbortController();
    const waiting = room.take(controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    room.give();
    expect(await room.take(never)).toBe(true);
  });

  it('takes no place for one who had stopped before', async () => {
    const room = places(1);
    expect(await room.take(AbortSignal.abort())).toBe(false);
    expect(await room.take(never)).toBe(true);
  });
});
