import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { listenToLent } from './lent-errors.ts';

describe('listenToLent', () => {
  const given = () => {
    const emitter = new EventEmitter();
    // Safe: only the events of a pool are used.
    const unhear = listenToLent(emitter as unknown as Pool);
    return { emitter, unhear, client: new EventEmitter() };
  };

  it('a lent connection may end before its holder listens', () => {
    const { emitter, client } = given();
    emitter.emit('acquire', client);
    client.emit('error', new Error('terminating connection'));
    expect(() => new EventEmitter().emit('error', new Error('unheard'))).toThrow('unheard');
  });

  it('a connection gets one listener, however often it is lent', () => {
    const { emitter, client } = given();
    for (let lent = 0; lent < 20; lent += 1) emitter.emit('acquire', client);
    expect(client.listenerCount('error')).toBe(1);
  });

  it('a lent connection gets no listener after the pool was returned', () => {
    const { emitter, client, unhear } = given();
    unhear();
    expect(emitter.eventNames()).toEqual([]);
    emitter.emit('acquire', client);
    expect(client.listenerCount('error')).toBe(0);
  });
});
