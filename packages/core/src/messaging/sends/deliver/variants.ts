// What sending reads of A/B tests. The module ab-tests implements it, and messaging/module.ts connects both.

import type { Channel } from '../../../foundation/channel.ts';
import { sha256Hex } from '../../../foundation/hash.ts';
import { userIdOf } from '../../../foundation/person.ts';
import type { InScope, Scope } from '../../../foundation/scope.ts';
import type { MessageRow } from '../store.ts';

/** Something else to say: the fields of a content that it takes the place of. */
export type Variant = { readonly key: string; readonly fields: Readonly<Record<string, unknown>> };

/** A test as its messages see it. */
export type TestView = {
  readonly status: 'running' | 'paused' | 'completed';
  readonly variantOf: (key: string) => Variant | null;
  /** Always the same one for the same subject. */
  readonly pick: (subject: string) => { readonly variant: Variant | null; readonly bucket: number };
  /** Every text of its variants. */
  readonly texts: readonly string[];
};

export type TestRef = InScope & { readonly abTestId: string };
/** Null: the scope has no such test of that channel. */
export type TestsOf = (ref: TestRef & { readonly channel: Channel }) => TestView | null;

/** What acceptance and delivery ask of A/B tests. Both loads are of a cache. */
export type SendTests = {
  /** Whether a send of the channel may name the test. */
  exists(scope: Scope, channel: Channel, abTestId: string): Promise<boolean>;
  load(refs: readonly TestRef[]): Promise<TestsOf>;
  /** The same for whoever gives messages their variants: from then on those of the tests that are running stay. */
  loadToAssign(refs: readonly TestRef[]): Promise<TestsOf>;
};

/** Where there are no tests. */
export const noTests: SendTests = {
  exists: async () => false,
  load: async () => () => null,
  loadToAssign: async () => () => null,
};

type Addressed = Pick<MessageRow, 'person' | 'tokenId' | 'address' | 'role'>;

/**
 * Whom a test tells apart: the user, where none is known the device, else the address. A copy of a mail says what the mail
 * says, whoever gets it. Null: there is nobody. Throws nothing.
 *
 * @param original whom the mail is for that a copy is of
 * Source: semantics, A/B buckets.
 */
export const subjectOf = ({ person, tokenId, address, role }: Addressed, original: string | null): string | null => {
  if (role !== 'to') return original;
  const userId = person === null ? null : userIdOf(person);
  return userId ?? person ?? tokenId ?? address;
};

/**
 * The same as figures count it, where users, devices and addresses are three kinds. Of an address its digest: a browser's may
 * be longer than an index takes. Throws nothing.
 */
export const unitOf = ({ person, tokenId, address }: Addressed): string =>
  person ?? (tokenId === null ? `d:${sha256Hex(address ?? '')}` : `t:${tokenId}`);
