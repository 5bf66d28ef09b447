// Commands on resources that exist per channel, where `--channel` is optional.

import type { Channel, Page, PageQuery } from '@beckon/core';
import { Option } from 'commander';
import { failureOf } from './exit-codes.ts';
import { collect } from './listing.ts';
import { CHANNELS } from './names.ts';

/** Flags of commands with an optional channel. */
export type ChannelFlags = { readonly channel?: Channel };

/** `--channel`. */
export const channelOption = (text = 'Channel'): Option => new Option('--channel <name>', text).choices(CHANNELS);

/** The channel of the flag, or all channels. */
export const channelsOf = ({ channel }: ChannelFlags): readonly Channel[] =>
  channel === undefined ? CHANNELS : [channel];

/** The result, or null for NOT_FOUND. Throws other errors. */
export const nullIfNotFound = async <T>(found: Promise<T>): Promise<T | null> => {
  try {
    return await found;
  } catch (error) {
    if (failureOf(error).code !== 'NOT_FOUND') throw error;
    return null;
  }
};

/** The result of the first channel that has the resource. Throws NOT_FOUND of the last channel. */
export const firstFound = async <T>(
  channels: readonly Channel[],
  read: (channel: Channel) => Promise<T>,
): Promise<T> => {
  let missing: unknown;
  for (const channel of channels) {
    try {
      return await read(channel);
    } catch (error) {
      if (failureOf(error).code !== 'NOT_FOUND') throw error;
      missing = error;
    }
  }
  throw missing;
};

/** The newest rows of several channels. Ids are UUIDv7: the greatest is the newest. */
export const newestOf = async <Row extends { readonly id: string }>(
  channels: readonly Channel[],
  limit: number,
  read: (channel: Channel, query: PageQuery) => Promise<Page<Row>>,
  /** Sort key, descending; ids break ties. */
  orderOf: (row: Row) => string = ({ id }) => id,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> => {
  const all = await Promise.all(channels.map((channel) => collect<Row>(limit, (query) => read(channel, query))));
  const keyOf = (row: Row): string => `${orderOf(row)} ${row.id}`;
  const newest = all.flatMap(({ rows }) => rows).toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
  return { rows: newest.slice(0, limit), hasMore: newest.length > limit || all.some(({ hasMore }) => hasMore) };
};
