import { describe, expect, it } from 'vitest';
import { readsTags } from './reads-tags.ts';

const saying = (...texts: string[]) => ({ content: { title: 'Hello', localizedBody: { de: texts } } });

describe('readsTags', () => {
  it('device facts are read for a push whose texts use them, at any depth', () => {
    expect(readsTags('push', saying('Hi {{ user.locale | default: "en" }}'), null)).toBe(true);
    expect(readsTags('push', saying('{{user.timezone}}'), null)).toBe(true);
    expect(readsTags('push', saying('{{user.email}} {{trait.locale}}'), null)).toBe(false);
  });

  it('device facts are read for a push if a variant of its test uses them', () => {
    expect(readsTags('push', saying('Hi'), { texts: ['{{user.timezone}}'] })).toBe(true);
    expect(readsTags('push', saying('Hi'), { texts: ['Hello'] })).toBe(false);
    expect(readsTags('push', null, null)).toBe(false);
  });

  it('device facts are read for every other channel, whose locale and zone depend on them', () => {
    expect(readsTags('email', saying('Hi'), null)).toBe(true);
    expect(readsTags('sms', null, null)).toBe(true);
  });
});
