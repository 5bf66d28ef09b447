import * as core from '@beckon/core';
import { describe, expect, it } from 'vitest';
import {
  AB_TEST_STATUSES,
  CHANNEL_OF,
  CHANNELS,
  DELIVERY_STATUSES,
  EVENT_NAMES,
  MAX_PAGE,
  PROVIDERS,
  RUN_STATUSES,
  SEND_STATUSES,
} from './names.ts';

describe('names', () => {
  it('are those of core', () => {
    expect([...CHANNELS]).toEqual([...core.CHANNELS]);
    expect([...SEND_STATUSES]).toEqual([...core.SEND_STATUSES]);
    expect([...RUN_STATUSES]).toEqual([...core.RUN_STATUSES]);
    expect([...AB_TEST_STATUSES]).toEqual([...core.AB_TEST_STATUSES]);
    expect([...DELIVERY_STATUSES]).toEqual([...core.DELIVERY_STATUSES]);
    expect([...EVENT_NAMES]).toEqual(Object.keys(core.CATALOG));
    expect(MAX_PAGE).toBe(core.MAX_LIMIT);
    expect(PROVIDERS).toEqual(core.CHANNELS.flatMap((channel) => core.PROVIDERS[channel]));
    for (const channel of core.CHANNELS)
      expect(PROVIDERS.filter((name) => CHANNEL_OF[name] === channel)).toEqual([...core.PROVIDERS[channel]]);
  });
});
