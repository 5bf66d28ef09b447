import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { turnsUntil } from '../../delivery/transports/testing/turns.ts';
import { type AddressRules, addressRules } from './addresses.ts';
import { guardedConnect } from './connect.ts';
import { guardedLookup, type HostResolver, systemResolver } from './lookup.ts';

const loopback = addressRules(['127.0.0.0/8']);
const as =
  (...addresses: string[]): HostResolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const listener = async () => {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.on('error', () => undefined);
    socket.end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has an AddressInfo.
  return { port, hits: () => hits };
};

const to = (host: string, port: number, rules: AddressRules, resolver: HostResolver, timeoutMs = 2_000) =>
  guardedConnect({ host, port, timeoutMs }, { rules, resolver });

describe('guardedConnect', () => {
  it('guardedConnect connects if the rules allow it', async () => {
    const { port, hits } = await listener();
    const socket = await to('relay.test', port, loopback, as('127.0.0.1'));
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(hits()).toBe(1);
  });

  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', '::ffff:7f00:1'])(
    'guardedConnect rejects the literal %s',
    async (host) => {
      const { port, hits } = await listener();
      await expect(to(host, port, addressRules(), systemResolver)).rejects.toMatchObject({ code: 'ERR_SSRF_BLOCKED' });
      expect(hits()).toBe(0);
    },
  );

  // Resolvers, also the system's, read these as addresses.
  it.each(['localhost', '0x7f000001', '2130706433', '127.1'])('guardedConnect rejects the name %s', async (host) => {
    const { port, hits } = await listener();
    await expect(to(host, port, addressRules(), systemResolver)).rejects.toThrow(/may not be connected|ENOTFOUND|EAI/);
    expect(hits()).toBe(0);
  });

  it('guardedConnect rejects a name with one private address among public ones', async () => {
    const { port, hits } = await listener();
    const mixed = as('192.0.1.1', '127.0.0.1', '2606:4700::1');
    await expect(to('relay.test', port, addressRules(), mixed)).rejects.toMatchObject({ code: 'ERR_SSRF_BLOCKED' });
    expect(hits()).toBe(0);
  });

  it('guardedConnect ends a connection whose peer is forbidden', async () => {
    const { port } = await listener();
    const verdicts = [true, false];
    const rules: AddressRules = { allows: () => verdicts.shift() ?? false };
    await expect(to('relay.test', port, rules, as('127.0.0.1'))).rejects.toMatchObject({ code: 'ERR_SSRF_BLOCKED' });
    expect(verdicts).toEqual([]);
  });

  it('guardedConnect keeps its timeout while DNS does not answer', async () => {
    const never: HostResolver = () => new Promise(() => undefined);
    const connecting = to('relay.test', 1, loopback, never, 50);
    expect(await turnsUntil(connecting)).toBeLessThan(1_000);
    await expect(connecting).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('guardedConnect keeps the code of a refused connection', async () => {
    await expect(to('127.0.0.1', 1, loopback, systemResolver)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('guardedLookup', () => {
  const look = (resolver: HostResolver, options: { all?: boolean; family?: 4 | 6 }) =>
    new Promise((resolve, reject) => {
      guardedLookup(loopback, resolver)('x.test', options, (error, found, family) =>
        error ? reject(error) : resolve(options.all ? found : [found, family]),
      );
    });

  it('guardedLookup returns exactly the addresses that it checked', async () => {
    expect(await look(as('127.0.0.1', '8.8.8.8'), { all: true })).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ]);
    expect(await look(as('8.8.8.8', '127.0.0.1'), {})).toEqual(['8.8.8.8', 4]);
  });

  it('guardedLookup returns addresses of the requested family and checks the others too', async () => {
    expect(await look(as('8.8.8.8', '2606:4700::1'), { all: true, family: 6 })).toEqual([
      { address: '2606:4700::1', family: 6 },
    ]);
    await expect(look(as('8.8.8.8', '::1'), { family: 4 })).rejects.toMatchObject({ code: 'ERR_SSRF_BLOCKED' });
  });

  it('guardedLookup fails with ENOTFOUND for a name without an address', async () => {
    await expect(look(as(), { all: true })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
