import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const SCHEMA = '@peculiar/asn1-schema';

describe('@simplewebauthn/server', () => {
  it('the lockfile names one copy of @peculiar/asn1-schema, because two copies break every ES256 signature check', () => {
    const lock: unknown = JSON.parse(
      readFileSync(new URL('../../../../../package-lock.json', import.meta.url), 'utf8'),
    );
    expect(Object.keys(Object(lock).packages).filter((path) => path.endsWith(`node_modules/${SCHEMA}`))).toEqual([
      `node_modules/${SCHEMA}`,
    ]);
  });

  it('all packages that describe ASN.1 load the same copy of @peculiar/asn1-schema', () => {
    const root = createRequire(import.meta.url);
    const server = createRequire(root.resolve('@simplewebauthn/server'));
    const users = ['asn1-ecc', 'asn1-rsa', 'asn1-x509', 'asn1-android', 'x509', 'asn1-x509-post-quantum'];
    const copies = users.map((name) => createRequire(server.resolve(`@peculiar/${name}`)).resolve(SCHEMA));
    expect(new Set([server.resolve(SCHEMA), ...copies])).toHaveProperty('size', 1);
  });
});
