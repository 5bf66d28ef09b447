import type { Channel } from '../../foundation/channel.ts';

/** A test that a workflow step names. */
export type TestName = { readonly channel: Channel; readonly abTestId: string };

/** Field names of each variant of a test, by variant key. */
export type TestTexts = ReadonlyMap<string, ReadonlySet<string>>;

/** Map key of a test. */
export const testKey = ({ channel, abTestId }: TestName): string => `${channel}/${abTestId}`;
