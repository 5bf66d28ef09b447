import { describe, expect, it } from 'vitest';
import { clientNetwork, networkOf } from './client-network.ts';

const from = (address: string | undefined, forwarded?: string) => ({
  address: () => address,
  header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined),
});

describe('client networks', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
  ])('the client network of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it.each([
    '',
    'unknown',
    '203.0.113',
    '203.0.113.256',
    '0xcb007107',
    '1:2',
    'example.com',
    '2001:db8::1::',
    '1.2.3.4/24',
  ])('%j has no client network', (text) => {
    expect(networkOf(text)).toBeNull();
  });

  it('many IPv6 addresses are each mapped to their own network', () => {
    for (const round of [1, 2])
      for (let at = 1; at < 20_000; at += 1) {
        const part = at.toString(16);
        const place = `${round} ${at}`;
        if (networkOf(`2001:db8:1:${part}::7`) !== `2001:db8:1:${part}::/64`) expect(place).toBe('its own network');
      }
  });

  it("without trusted proxies the connection's address counts, whatever the headers contain", () => {
    expect(clientNetwork(from('203.0.113.7', '198.51.100.1'), 0)).toBe('203.0.113.7');
  });

  it.each([
    ['the last address behind one proxy', '192.0.2.1, 198.51.100.1', 1, '198.51.100.1'],
    ['the last but one behind two', '192.0.2.1, 198.51.100.1, 10.0.0.1', 2, '198.51.100.1'],
    ['the first where there are fewer than proxies', '198.51.100.1', 3, '198.51.100.1'],
    ['an address with a port', '192.0.2.1, 198.51.100.1:4711', 1, '198.51.100.1'],
    ['an address in brackets', '[2001:db8::1]:443', 1, '2001:db8::/64'],
    ['the nearest proxy where one wrote no address', '192.0.2.1, unknown, 10.0.0.1', 3, '10.0.0.1'],
    ['the connection where the last one is no address', '192.0.2.1, unknown', 1, '203.0.113.7'],
    ['the connection where the header is empty', '', 1, '203.0.113.7'],
  ])('the client address is %s', (_, forwarded, trustedProxies, network) => {
    expect(clientNetwork(from('203.0.113.7', forwarded), trustedProxies)).toBe(network);
  });

  it('without a connection address the trusted header counts, and without both all clients share one network', () => {
    expect(clientNetwork(from(undefined, '192.0.2.1, 198.51.100.1'), 1)).toBe('198.51.100.1');
    expect(clientNetwork(from(undefined, '198.51.100.1'), 0)).toBe('unknown');
  });
});
