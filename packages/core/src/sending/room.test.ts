import { describe, expect, it } from 'vitest';
import { sharedRoom } from './room.ts';

/** Lanes that each take all that they get, one job after the other in turns, until nobody gets any. */
const filled = (lanes: number, most: number) => {
  const room = sharedRoom(most);
  const held = Array.from({ length: lanes }, () => 0);
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const [at, own] of held.entries()) {
      const taken = room.take(own, 1);
      held[at] = own + taken;
      isMoving ||= taken > 0;
    }
  }
  return { room, held, left: most - held.reduce((sum, own) => sum + own, 0) };
};

describe('room that lanes share', () => {
  it('gives two thirds of itself to a lane that is alone', () => {
    expect(filled(1, 1_792).held).toEqual([1_194]);
    expect(sharedRoom(1_792).take(0, 5_000)).toBe(1_194);
  });

  it('gives no lane more than the others, and leaves room for one more however many are full', () => {
    for (const lanes of [2, 3, 10, 100, 500]) {
      const { room, held, left } = filled(lanes, 1_792);
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
      expect(left).toBeGreaterThan(0);
      expect(room.take(0, 1)).toBe(1);
    }
  });

  it('refuses a lane that holds more than its share until others give back', () => {
    const room = sharedRoom(300);
    expect(room.take(0, 300)).toBe(200);
    expect(room.take(0, 300)).toBe(66);
    expect(room.take(200, 1)).toBe(0);
    for (let at = 0; at < 66 + 50; at += 1) room.give();
    expect(room.take(150, 100)).toBe(50);
  });
});
