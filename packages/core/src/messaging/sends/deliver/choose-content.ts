import type { Channel } from '../../../foundation/channel.ts';
import { localeOf, type ProfileView } from '../../../people/profiles/view.ts';
import type { AddressState, ChannelPort } from '../channel.ts';
import type { MessageRow } from '../store.ts';
import type { SendContent } from './content.ts';
import { subjectOf, type TestView, type Variant } from './variants.ts';

type Content = Readonly<Record<string, unknown>>;

/** The content of one message, and why it was chosen. */
export type Choice = {
  /** Null: the send has no content in the reader's language. */
  readonly content: Content | null;
  /** Locale of the reader; null: unknown. */
  readonly locale: string | null;
  /** Language tag of the chosen entry; null: the default content. */
  readonly localized: string | null;
  /** Null: the content of the send, because it names no test or the test is not running. */
  readonly variant: string | null;
  /** Status of the test; `unknown`: the scope has no such test. Null: the send names none. */
  readonly abTest: TestView['status'] | 'unknown' | null;
  /** Bucket that chose the variant; null: none, or the variant was chosen earlier. */
  readonly bucket: number | null;
};

/** What the choice of content depends on. */
export type ChoiceFacts = {
  readonly row: Pick<MessageRow, 'person' | 'tokenId' | 'address' | 'role' | 'variant'>;
  readonly send: Pick<SendContent, 'content' | 'abTestId'>;
  /** Null: the scope has no such test. */
  readonly test: TestView | null;
  readonly locale: string | null;
};

/**
 * The language of a message: for push that of the device, else that of the user. Throws nothing. Source: interface,
 * Locale resolution; contract, Ingest and profiles.
 */
export const readerLocale = (
  channel: Channel,
  addressState: Pick<AddressState, 'locale'> | null,
  profile: ProfileView | null,
): string | null => (channel === 'push' ? (addressState?.locale ?? null) : profile && localeOf(profile));

/** The address whose copies this send has; null: no copies. */
const originalOf = ({ addressed }: Content): string | null => {
  if (typeof addressed !== 'object' || addressed === null || !('to' in addressed)) return null;
  const { to } = addressed;
  return typeof to === 'object' && to !== null && 'email' in to && typeof to.email === 'string' ? to.email : null;
};

type Chosen = Pick<Choice, 'abTest' | 'bucket'> & { readonly variant: Variant | null };

/** A message keeps its variant across attempts. */
const variantFor = ({ row, send, test }: ChoiceFacts): Chosen => {
  if (send.abTestId === null) return { abTest: null, bucket: null, variant: null };
  if (test === null) return { abTest: 'unknown', bucket: null, variant: null };
  const { status: abTest } = test;
  if (abTest !== 'running') return { abTest, bucket: null, variant: null };
  const assignedVariant = row.variant === null ? null : test.variantOf(row.variant);
  if (assignedVariant !== null) return { abTest, bucket: null, variant: assignedVariant };
  const subject = subjectOf(row, row.role === 'to' ? null : originalOf(send.content));
  if (subject === null) return { abTest, bucket: null, variant: null };
  const { bucket, variant } = test.pick(subject);
  return { abTest, bucket, variant };
};

/** By send content and variant: messages with the same pair share one object, cached as long as both exist. */
const contentByVariant = new WeakMap<Content, WeakMap<Variant, Content>>();

/** Fields that the variant omits come from the send. */
const contentOfVariant = (content: Content, variant: Variant): Content => {
  const byVariant = contentByVariant.get(content) ?? new WeakMap<Variant, Content>();
  contentByVariant.set(content, byVariant);
  const cached = byVariant.get(variant);
  if (cached) return cached;
  const { fields } = variant;
  // An email has one HTML field, escaped or raw: that of the variant.
  const { bodyHtml: _, ...rest } = content;
  const made = { ...('html' in fields ? rest : content), ...fields };
  byVariant.set(variant, made);
  return made;
};

/** The content in a language, chosen by the channel. Pure. Throws nothing. */
export const inLanguage = (
  channel: Pick<ChannelPort<unknown>, 'localise'>,
  content: Content,
  locale: string | null,
): Pick<Choice, 'content' | 'localized'> => {
  const found = channel.localise?.(content, locale) ?? { content, tag: null };
  return 'unsupported' in found ? { content: null, localized: null } : { content: found.content, localized: found.tag };
};

/**
 * Chooses the content of one message: first the variant, then the language within it. Pure. Throws nothing. Source:
 * semantics, Gates in order, A/B buckets and Locale.
 */
export const chooseContent = (channel: Pick<ChannelPort<unknown>, 'localise'>, facts: ChoiceFacts): Choice => {
  const { send, locale } = facts;
  const { variant, abTest, bucket } = variantFor(facts);
  const all = variant ? contentOfVariant(send.content, variant) : send.content;
  const { content, localized } = inLanguage(channel, all, locale);
  return { content, locale, localized, variant: variant?.key ?? null, abTest, bucket };
};
