import type { Channel } from '../../foundation/channel.ts';

/** A test that a step names. */
export type TestName = { readonly channel: Channel; readonly abTestId: string };

/** What each variant of a test says: the names of its fields, by its key. */
export type TestTexts = ReadonlyMap<string, ReadonlySet<string>>;

/** One string per test, for maps. */
export const testKey = ({ channel, abTestId }: TestName): string => `${channel}/${abTestId}`;
