import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deriveKey,
  masterKeyId,
  newDataKey,
  newMasterKey,
  open,
  parseMasterKeys,
  type SecretContext,
  seal,
  UnreadableSecret,
  unwrapDataKey,
  wrapDataKey,
} from './secrets.ts';

const SECRET = 'canary-5f2c: the provider password';
const place: SecretContext = {
  table: 'provider_credentials',
  column: 'secret',
  orgId: 'org-1',
  projectId: 'project-1',
  environment: 'prod',
  rowId: 'row-1',
};
const dataKey = newDataKey();
const dataKeys = (kid: string) => (kid === 'k1' ? dataKey : undefined);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const sealed = () => seal(dataKey, 'k1', SECRET, place);

/** The reason of the error; throws if the secret opens or the error leaks any part of it. */
const refusal = (blob: string, context = place, keys = dataKeys): string => {
  try {
    open(keys, blob, context);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const shown = `${error.message} ${error.stack} ${JSON.stringify(error)} ${error.cause}`;
    const parts = [SECRET, ...blob.split('.').slice(2), Buffer.from(dataKey).toString('base64url')];
    for (const part of parts) if (part.length > 3 && shown.includes(part)) throw new Error('the error names a secret');
    return error.reason;
  }
  throw new Error('the changed secret was opened');
};

const withPart = (blob: string, index: number, change: (part: Buffer) => Uint8Array): string => {
  const parts = blob.split('.');
  parts[index] = Buffer.from(change(Buffer.from(parts[index] ?? '', 'base64url'))).toString('base64url');
  return parts.join('.');
};

describe('seal and open', () => {
  it('seal and open round-trip any bytes and any text', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string({ unit: fc.constantFrom('a', '.', '\0', '\u00e9', '\u65e5', '\u{1F600}') }),
        (bytes, text) => {
          expect([...open(dataKeys, seal(dataKey, 'k1', bytes, place), place)]).toEqual([...bytes]);
          expect(textOf(open(dataKeys, seal(dataKey, 'k1', text, place), place))).toBe(text);
        },
      ),
    );
  });

  it('seal writes v1, the kid, a nonce of 12 bytes, the text and a tag of 16 bytes', () => {
    const [version, kid, nonce = '', text = '', tag = '', ...more] = sealed().split('.');
    const sizes = [nonce, text, tag].map((part) => Buffer.from(part, 'base64url').length);
    expect([version, kid, ...sizes, more.length]).toEqual(['v1', 'k1', 12, SECRET.length, 16, 0]);
  });

  it('seal uses a new nonce each time', () => {
    const nonces = Array.from({ length: 100 }, () => sealed().split('.')[2]);
    expect(new Set(nonces).size).toBe(100);
  });

  it('a sealed value shows nothing of the plaintext', () => {
    const bytes = Buffer.from(sealed().split('.')[3] ?? '', 'base64url');
    expect(bytes.includes('canary')).toBe(false);
  });

  it('open rejects every blob with one flipped bit', () => {
    const blob = sealed();
    for (const index of [2, 3, 4]) {
      const { length } = Buffer.from(blob.split('.')[index] ?? '', 'base64url');
      for (let bit = 0; bit < length * 8; bit++) {
        const flipped = withPart(blob, index, (part) =>
          part.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
        );
        if (refusal(flipped) !== 'not_authentic') expect.fail(`bit ${bit} of part ${index}`);
      }
    }
  });

  it('open rejects every blob with one changed character, so that a value has one spelling only', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const blob = sealed();
    for (let at = 0; at < blob.length; at++) {
      // The next character of the alphabet differs in the lowest bit, which the last character of a part may not use.
      const neighbour = alphabet[alphabet.indexOf(blob[at] ?? '') ^ 1] ?? 'A';
      for (const to of [neighbour, '.', '=', '+', ' ', '\n']) {
        if (to === blob[at]) continue;
        const changed = blob.slice(0, at) + to + blob.slice(at + 1);
        expect(refusal(changed), `${to} at ${at}`).toMatch(/malformed|unknown_key|not_authentic/);
      }
    }
  });

  it('open rejects a cut tag, although it would verify as a short tag', () => {
    for (const bytes of [0, 4, 8, 12, 13, 14, 15]) {
      expect(refusal(withPart(sealed(), 4, (tag) => tag.subarray(0, bytes)))).toBe('malformed');
    }
    expect(refusal(withPart(sealed(), 4, (tag) => Buffer.concat([tag, tag])))).toBe('malformed');
  });

  it('open rejects a nonce of another length, even the one used for sealing', () => {
    for (const bytes of [0, 8, 11, 13, 16])
      expect(refusal(withPart(sealed(), 2, () => Buffer.alloc(bytes, 7)))).toBe('malformed');
    const nonce = Buffer.alloc(16, 7);
    const cipher = createCipheriv('aes-256-gcm', dataKey, nonce, { authTagLength: 16 });
    cipher.setAAD(Buffer.from('provider_credentials|secret|org-1|project-1|prod|row-1|k1'));
    const text = Buffer.concat([cipher.update(SECRET), cipher.final()]);
    const parts = [nonce, text, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    expect(refusal(`v1.k1.${parts.join('.')}`)).toBe('malformed');
  });

  it('open rejects a blob moved to another table, column, tenant, environment or row', () => {
    for (const part of ['table', 'column', 'orgId', 'projectId', 'environment', 'rowId'] as const) {
      expect(refusal(sealed(), { ...place, [part]: 'other' })).toBe('not_authentic');
      expect(refusal(sealed(), { ...place, [part]: '' })).toBe('not_authentic');
    }
  });

  it('open rejects a blob that names another data key', () => {
    const both = (kid: string) => (kid === 'k1' || kid === 'k2' ? dataKey : undefined);
    expect(refusal(sealed().replace('.k1.', '.k2.'), place, both)).toBe('not_authentic');
    expect(refusal(sealed().replace('.k1.', '.k3.'), place, both)).toBe('unknown_key');
    expect(refusal(sealed(), place, () => newDataKey())).toBe('not_authentic');
  });

  it('open rejects a text that is no blob', () => {
    const blob = sealed();
    for (const text of ['', 'v1', '....', `${blob}.x`, `${blob}.`, blob.replace('v1', 'v2'), SECRET]) {
      expect(refusal(text)).toBe('malformed');
    }
  });

  it('an absent part of a context equals an empty one', () => {
    const blob = seal(dataKey, 'k1', SECRET, { table: 't', column: 'c' });
    expect(textOf(open(dataKeys, blob, { table: 't', column: 'c', orgId: '', rowId: '' }))).toBe(SECRET);
  });

  it('seal rejects ambiguous contexts and kids', () => {
    expect(() => seal(dataKey, 'k1', SECRET, { ...place, rowId: 'a|b' })).toThrow(TypeError);
    for (const kid of ['', 'a.b', 'a|b', 'a b']) expect(() => seal(dataKey, kid, SECRET, place)).toThrow(TypeError);
  });
});

describe('parseMasterKeys', () => {
  const key = Buffer.from(newDataKey());

  it('parseMasterKeys reads hex, base64 and base64url, in their order', () => {
    const texts = [
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      key.toString('base64'),
      key.toString('base64url'),
    ];
    const parsed = parseMasterKeys(`${texts.join(', ')}\n`);
    expect(parsed.map((one) => Buffer.from(one).toString('hex'))).toEqual(Array(4).fill(key.toString('hex')));
  });

  it('parseMasterKeys reads a key of newMasterKey', () => {
    const [first, second] = parseMasterKeys(`${newMasterKey()},${newMasterKey()}`);
    expect([first.length, second?.length]).toEqual([32, 32]);
    expect(first).not.toEqual(second);
  });

  it('parseMasterKeys rejects anything else by its position, without showing it', () => {
    const good = newMasterKey();
    for (const bad of [
      '',
      'hunter2-hunter2',
      key.subarray(1).toString('hex'),
      key.toString('base64').slice(0, 42),
      `${good}AA`,
    ]) {
      const act = () => parseMasterKeys(`${good},${bad}`);
      expect(act).toThrow(/^Master key 2 is not 32 bytes/);
      if (bad) expect(act).not.toThrow(bad);
    }
    expect(() => parseMasterKeys('')).toThrow(TypeError);
  });

  it('parseMasterKeys rejects a placeholder of one repeated byte', () => {
    expect(() => parseMasterKeys('0'.repeat(64))).toThrow(/must be random/);
  });
});

describe('wrapDataKey and unwrapDataKey', () => {
  const [current, previous] = [newDataKey(), newDataKey()];

  it('unwrapDataKey returns the data key with the master key that wrapped it, anywhere in the list', () => {
    const blob = wrapDataKey(previous, dataKey, 'org-1');
    expect(unwrapDataKey([current, previous], blob, 'org-1')).toEqual(Buffer.from(dataKey));
    expect(unwrapDataKey([previous], blob, 'org-1')).toEqual(Buffer.from(dataKey));
  });

  it('unwrapDataKey returns null without that master key, for another owner and for a changed blob', () => {
    const blob = wrapDataKey(previous, dataKey, 'org-1');
    expect(unwrapDataKey([current], blob, 'org-1')).toBeNull();
    expect(unwrapDataKey([], blob, 'org-1')).toBeNull();
    expect(unwrapDataKey([previous], blob, 'org-2')).toBeNull();
    expect(
      unwrapDataKey(
        [previous],
        withPart(blob, 4, (tag) => tag.subarray(0, 12)),
        'org-1',
      ),
    ).toBeNull();
    expect(
      unwrapDataKey(
        [previous],
        withPart(blob, 3, (text) => text.map((byte) => byte ^ 1)),
        'org-1',
      ),
    ).toBeNull();
    expect(
      unwrapDataKey([current, previous], blob.replace(masterKeyId(previous), masterKeyId(current)), 'org-1'),
    ).toBeNull();
    expect(unwrapDataKey([previous], 'garbage', 'org-1')).toBeNull();
  });

  it('a wrapped data key shows nothing of either key', () => {
    const blob = wrapDataKey(current, dataKey, 'org-1');
    expect(masterKeyId(current)).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(current).toString('hex')).not.toContain(masterKeyId(current));
    expect(blob).not.toContain(Buffer.from(dataKey).toString('base64url'));
  });
});

describe('deriveKey', () => {
  it('deriveKey passes the third test case of RFC 5869', () => {
    const key = deriveKey(new Uint8Array(22).fill(0x0b), '');
    expect(Buffer.from(key).toString('hex')).toBe('8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d');
  });

  it('deriveKey returns a different key for each purpose', () => {
    const keys = ['a', 'b', ''].map((purpose) => Buffer.from(deriveKey(dataKey, purpose)).toString('hex'));
    expect(new Set([...keys, Buffer.from(dataKey).toString('hex')]).size).toBe(4);
  });
});
