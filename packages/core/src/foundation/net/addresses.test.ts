import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressRules, isUnreachable } from './addresses.ts';

const NETWORKS = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
] as const;

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const textOf = (number: number): string => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
const isSpecial = (number: number): boolean =>
  NETWORKS.some(([first, last]) => number >= numberOf(first) && number <= numberOf(last));

describe('addressRules', () => {
  const rules = addressRules();

  it('addressRules rejects the first and the last address of each special network of IPv4', () => {
    for (const address of NETWORKS.flat()) expect([address, rules.allows(address)]).toEqual([address, false]);
  });

  it('addressRules allows the addresses on either side of each special network', () => {
    const outside = NETWORKS.flatMap(([first, last]) => [numberOf(first) - 1, numberOf(last) + 1])
      .filter((number) => number >= 0 && number <= 0xffffffff && !isSpecial(number))
      .map(textOf);
    expect(outside.length).toBeGreaterThan(25);
    for (const address of outside) expect([address, rules.allows(address)]).toEqual([address, true]);
  });

  it('addressRules treats an IPv4 address alike, plain, mapped and mapped in hexadecimal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (number) => {
        const plain = textOf(number);
        const hex = `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
        const judged = [plain, `::ffff:${plain}`, `::ffff:${hex}`].map((address) => rules.allows(address));
        expect(judged).toEqual(Array(3).fill(!isSpecial(number)));
      }),
    );
  });

  it.each([
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:0:7f00:1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:8.8.8.8',
    '::fffe:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:20::1',
    '2002:7f00:1::',
    '2620:4f:8000::1',
    '3fff:fff::1',
    '5f00::1',
    'fc00::1',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    'fe80::1%lo',
    'fec0::1',
    'ff02::1',
  ])('addressRules rejects %s', (address) => {
    expect(rules.allows(address)).toBe(false);
  });

  it('addressRules rejects every IPv6 address outside of global unicast, except mapped IPv4', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const words = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0));
        const isGlobal = (words[0] ?? 0) >>> 13 === 1;
        if (!isGlobal) expect(rules.allows(words.map((word) => word.toString(16)).join(':'))).toBe(false);
      }),
    );
  });

  it.each([
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
    '2001:200::1',
    '2001:db7:ffff::1',
    '2620:4f:7fff::1',
  ])('addressRules allows %s', (address) => {
    expect(rules.allows(address)).toBe(true);
  });

  it.each(['', 'localhost', '0x7f000001', '2130706433', '127.1', '8.8.8', '8.8.8.8:80', '[2606:4700::1]', '08.8.8.8'])(
    'addressRules rejects a text that is no plain address: "%s"',
    (text) => {
      expect(rules.allows(text)).toBe(false);
    },
  );

  it('an allowed network takes precedence over a forbidden one', () => {
    const inside = addressRules(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '127.0.0.1'].map(inside.allows)).toEqual(Array(4).fill(true));
    expect(['10.2.0.0', 'fc00::1', '127.0.0.2', '::1'].map(inside.allows)).toEqual(Array(4).fill(false));
  });

  it.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', 'localhost/8', '10.0.0/8', '10.0.0.0/', ''])(
    'addressRules rejects "%s" as a network',
    (cidr) => {
      expect(() => addressRules([cidr])).toThrow(TypeError);
    },
  );
});

describe('isUnreachable', () => {
  const rules = addressRules();

  it.each([
    '127.0.0.1',
    '::1',
    '[::1]',
    '::ffff:10.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '0.0.0.0',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    'localhost',
    'LOCALHOST.',
    'api.localhost',
    'localhost.localdomain',
    'localhost6.localdomain6',
    'ip6-localhost',
    'ip6-loopback',
    '1.2.3.256',
    'a..b',
    '',
    '.',
    `${'a'.repeat(64)}.test`,
  ])('isUnreachable is true for "%s"', (host) => {
    expect(isUnreachable(host, rules)).toBe(true);
  });

  it.each([
    'relay',
    'push.example.com',
    'push.example.com.',
    'localhost.example.com',
    'mylocalhost',
    '8.8.8.8',
    '[2606:4700::1]',
  ])('isUnreachable is false for %s', (host) => {
    expect(isUnreachable(host, rules)).toBe(false);
  });

  it('isUnreachable follows the networks that the operator allows', () => {
    const local = addressRules(['127.0.0.0/8']);
    for (const host of ['127.1', 'localhost', 'api.localhost']) expect(isUnreachable(host, local)).toBe(false);
    expect(isUnreachable('10.0.0.1', local)).toBe(true);
  });
});
