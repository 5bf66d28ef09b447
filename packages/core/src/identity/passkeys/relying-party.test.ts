import { describe, expect, it } from 'vitest';
import { relyingPartyOf } from './relying-party.ts';

const unset = { rpId: null, rpName: null, origins: [], allowCrossOrigin: false };
const where = { publicUrl: 'https://id.example.org:8443/base' };

describe('relyingPartyOf', () => {
  it('P12: the domain and the origin of publicUrl are defaults', () => {
    expect(relyingPartyOf({ settings: unset, ...where })).toEqual({
      rpId: 'id.example.org',
      rpName: 'id.example.org',
      origins: ['https://id.example.org:8443'],
      allowCrossOrigin: false,
    });
  });

  it('settings replace the defaults', () => {
    const settings = { rpId: 'example.org', rpName: 'A', origins: ['https://a.example'], allowCrossOrigin: true };
    expect(relyingPartyOf({ settings, ...where })).toEqual(settings);
  });
});
