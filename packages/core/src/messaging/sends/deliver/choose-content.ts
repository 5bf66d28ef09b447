import type { Channel } from '../../../foundation/channel.ts';
import { localeOf, type ProfileView } from '../../../people/profiles/view.ts';
import type { AddressState, ChannelPort } from '../channel.ts';
import type { MessageRow } from '../store.ts';
import type { SendContent } from './content.ts';
import { subjectOf, type TestView, type Variant } from './variants.ts';

type Content = Readonly<Record<string, unknown>>;

/** What one message is rendered from, and why. */
export type Choice = {
  /** Null: the send says nothing in the language of the reader. */
  readonly content: Content | null;
  /** Of the reader; null: not known. */
  readonly locale: string | null;
  /** The tag of the entry that was taken; null: what stands at the top. */
  readonly localized: string | null;
  /** Null: the send's own words, since it names no test, or none that is running. */
  readonly variant: string | null;
  /** How its test stands; `unknown`: its scope has no such test. Null: it names none. */
  readonly abTest: TestView['status'] | 'unknown' | null;
  /** What chose the variant; null: nothing did, or an earlier evaluation. */
  readonly bucket: number | null;
};

/** What is known of a message when its content is chosen. */
export type ChoiceFacts = {
  readonly row: Pick<MessageRow, 'person' | 'tokenId' | 'address' | 'role' | 'variant'>;
  readonly send: Pick<SendContent, 'content' | 'abTestId'>;
  /** Null: the scope has no such test. */
  readonly test: TestView | null;
  readonly locale: string | null;
};

/**
 * The language of a message: of a push that of its device, else that of its person. Throws nothing.
 * Source: interface, Locale resolution; contract, Ingest and profiles.
 */
export const readerLocale = (
  channel: Channel,
  addressState: Pick<AddressState, 'locale'> | null,
  profile: ProfileView | null,
): string | null => (channel === 'push' ? (addressState?.locale ?? null) : profile && localeOf(profile));

/** Whom a mail is for that others get copies of; null: nobody gets any. */
const originalOf = ({ addressed }: Content): string | null => {
  if (typeof addressed !== 'object' || addressed === null || !('to' in addressed)) return null;
  const { to } = addressed;
  return typeof to === 'object' && to !== null && 'email' in to && typeof to.email === 'string' ? to.email : null;
};

type Chosen = Pick<Choice, 'abTest' | 'bucket'> & { readonly variant: Variant | null };

/** A message keeps the variant that it was given, however often it is looked at. */
const variantFor = ({ row, send, test }: ChoiceFacts): Chosen => {
  if (send.abTestId === null) return { abTest: null, bucket: null, variant: null };
  if (test === null) return { abTest: 'unknown', bucket: null, variant: null };
  const { status: abTest } = test;
  if (abTest !== 'running') return { abTest, bucket: null, variant: null };
  const kept = row.variant === null ? null : test.variantOf(row.variant);
  if (kept !== null) return { abTest, bucket: null, variant: kept };
  const subject = subjectOf(row, row.role === 'to' ? null : originalOf(send.content));
  if (subject === null) return { abTest, bucket: null, variant: null };
  const { bucket, variant } = test.pick(subject);
  return { abTest, bucket, variant };
};

/** By the content of a send and the variant: messages of both share what they say, which is held for as long as they are. */
const contentByVariant = new WeakMap<Content, WeakMap<Variant, Content>>();

/** What a variant leaves out is the send's own. */
const contentOfVariant = (content: Content, variant: Variant): Content => {
  const byVariant = contentByVariant.get(content) ?? new WeakMap<Variant, Content>();
  contentByVariant.set(content, byVariant);
  const known = byVariant.get(variant);
  if (known) return known;
  const { fields } = variant;
  // A mail has one of the two, escaped or not: that of the variant.
  const { bodyHtml: _, ...rest } = content;
  const made = { ...('html' in fields ? rest : content), ...fields };
  byVariant.set(variant, made);
  return made;
};

/** A content in the language of its reader, by the channel's own rule. Pure. Throws nothing. */
export const inLanguage = (
  channel: Pick<ChannelPort<unknown>, 'localise'>,
  content: Content,
  locale: string | null,
): Pick<Choice, 'content' | 'localized'> => {
  const found = channel.localise?.(content, locale) ?? { content, tag: null };
  return 'unsupported' in found ? { content: null, localized: null } : { content: found.content, localized: found.tag };
};

/**
 * Chooses the content of one message by its facts: first the variant, then the language within it. Pure. Throws nothing.
 * Source: semantics, Gates in order, A/B buckets and Locale.
 */
export const chooseContent = (channel: Pick<ChannelPort<unknown>, 'localise'>, facts: ChoiceFacts): Choice => {
  const { send, locale } = facts;
  const { variant, abTest, bucket } = variantFor(facts);
  const all = variant ? contentOfVariant(send.content, variant) : send.content;
  const { content, localized } = inLanguage(channel, all, locale);
  return { content, locale, localized, variant: variant?.key ?? null, abTest, bucket };
};
