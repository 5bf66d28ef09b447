// What sending reads of A/B tests. The module ab-tests implements it; messaging/module.ts connects them.

import type { Channel } from '../../../foundation/channel.ts';
import { sha256Hex } from '../../../foundation/hash.ts';
import { userIdOf } from '../../../foundation/person.ts';
import type { InScope, Scope } from '../../../foundation/scope.ts';
import type { MessageRow } from '../store.ts';

/** A variant: fields that replace those of the send's content. */
export type Variant = { readonly key: string; readonly fields: Readonly<Record<string, unknown>> };

/** An A/B test as its messages use it. */
export type TestView = {
  readonly status: 'running' | 'paused' | 'completed';
  readonly variantOf: (key: string) => Variant | null;
  /** Deterministic: one subject always gets the same variant. */
  readonly pick: (subject: string) => { readonly variant: Variant | null; readonly bucket: number };
  /** All texts of its variants. */
  readonly texts: readonly string[];
};

export type TestRef = InScope & { readonly abTestId: string };
/** Null: the scope has no such test for the channel. */
export type TestsOf = (ref: TestRef & { readonly channel: Channel }) => TestView | null;

/** What acceptance and delivery need of A/B tests. Both loads use a cache. */
export type SendTests = {
  /** True if a send of the channel may name the test. */
  exists(scope: Scope, channel: Channel, abTestId: string): Promise<boolean>;
  load(refs: readonly TestRef[]): Promise<TestsOf>;
  /** The same, for the caller that assigns variants: the variants of running tests are fixed from then on. */
  loadToAssign(refs: readonly TestRef[]): Promise<TestsOf>;
};

/** For engines without tests. */
export const noTests: SendTests = {
  exists: async () => false,
  load: async () => () => null,
  loadToAssign: async () => () => null,
};

type Addressed = Pick<MessageRow, 'person' | 'tokenId' | 'address' | 'role'>;

/**
 * The subject of a test: the user; without a user the device, else the address. A copy of an email has the original's
 * subject, so both have one content. Null: there is none. Throws nothing.
 *
 * @param original address of the original email of a copy
 * Source: semantics, A/B buckets.
 */
export const subjectOf = ({ person, tokenId, address, role }: Addressed, original: string | null): string | null => {
  if (role !== 'to') return original;
  const userId = person === null ? null : userIdOf(person);
  return userId ?? person ?? tokenId ?? address;
};

/**
 * The unit that statistics count; users, devices and addresses are distinct kinds. Addresses are hashed, because a
 * browser's address may exceed the index limit. Throws nothing.
 */
export const unitOf = ({ person, tokenId, address }: Addressed): string =>
  person ?? (tokenId === null ? `d:${sha256Hex(address ?? '')}` : `t:${tokenId}`);
