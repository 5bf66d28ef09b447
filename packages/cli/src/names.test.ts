import * as core from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { CHANNEL_OF, CHANNELS, EVENT_NAMES, MAX_PAGE, PROVIDERS } from './names.ts';

describe('names', () => {
  it('the names of the CLI equal those of core', () => {
    expect([...CHANNELS]).toEqual([...core.CHANNELS]);
    expect([...EVENT_NAMES]).toEqual(Object.keys(core.CATALOG));
    expect(MAX_PAGE).toBe(core.MAX_LIMIT);
    expect(PROVIDERS).toEqual(core.CHANNELS.flatMap((channel) => core.PROVIDERS[channel]));
    for (const channel of core.CHANNELS)
      expect(PROVIDERS.filter((name) => CHANNEL_OF[name] === channel)).toEqual([...core.PROVIDERS[channel]]);
  });
});
