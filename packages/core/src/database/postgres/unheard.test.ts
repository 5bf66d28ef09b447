import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { hearLent } from './unheard.ts';

describe('a connection that a pool lends', () => {
  const given = () => {
    const emitter = new EventEmitter();
    // Safe: a pool is listened to and nothing else.
    const unhear = hearLent(emitter as unknown as Pool);
    return { emitter, unhear, client: new EventEmitter() };
  };

  it('may end before whoever gets it listens', () => {
    const { emitter, client } = given();
    emitter.emit('acquire', client);
    client.emit('error', new Error('terminating connection'));
    expect(() => new EventEmitter().emit('error', new Error('unheard'))).toThrow('unheard');
  });

  it('is heard once, however often it is lent', () => {
    const { emitter, client } = given();
    for (let lent = 0; lent < 20; lent += 1) emitter.emit('acquire', client);
    expect(client.listenerCount('error')).toBe(1);
  });

  it('is left alone once the pool is given back', () => {
    const { emitter, client, unhear } = given();
    unhear();
    expect(emitter.eventNames()).toEqual([]);
    emitter.emit('acquire', client);
    expect(client.listenerCount('error')).toBe(0);
  });
});
