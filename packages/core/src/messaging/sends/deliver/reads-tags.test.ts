import { describe, expect, it } from 'vitest';
import { readsTags } from './reads-tags.ts';

const saying = (...texts: string[]) => ({ content: { title: 'Hello', localizedBody: { de: texts } } });

describe('what devices say', () => {
  it('is read for a push whose texts ask for it, at any depth', () => {
    expect(readsTags('push', saying('Hi {{ user.locale | default: "en" }}'), null)).toBe(true);
    expect(readsTags('push', saying('{{user.timezone}}'), null)).toBe(true);
    expect(readsTags('push', saying('{{user.email}} {{trait.locale}}'), null)).toBe(false);
  });

  it('is read for a push of whose test a variant asks for it', () => {
    expect(readsTags('push', saying('Hi'), { texts: ['{{user.timezone}}'] })).toBe(true);
    expect(readsTags('push', saying('Hi'), { texts: ['Hello'] })).toBe(false);
    expect(readsTags('push', null, null)).toBe(false);
  });

  it('is read for every other channel, which goes by it', () => {
    expect(readsTags('email', saying('Hi'), null)).toBe(true);
    expect(readsTags('sms', null, null)).toBe(true);
  });
});
