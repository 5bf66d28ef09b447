import type { Channel } from '../../api.ts';
import { localeOf, type ProfileView } from '../../profiles/view.ts';
import type { AddressState, ChannelPort } from '../channel.ts';

type Content = Readonly<Record<string, unknown>>;

/** What one message is rendered from, and why. */
export type Choice = {
  /** Null: the send says nothing in the language of the reader. */
  readonly content: Content | null;
  /** Of the reader; null: not known. */
  readonly locale: string | null;
  /** The tag of the entry that was taken; null: what stands at the top. */
  readonly localized: string | null;
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

/** Chooses the content of one message by its facts. Pure. Throws nothing. */
export const chooseContent = (
  channel: Pick<ChannelPort<unknown>, 'localise'>,
  content: Content,
  locale: string | null,
): Choice => {
  const found = channel.localise?.(content, locale) ?? { content, tag: null };
  if ('unsupported' in found) return { content: null, locale, localized: null };
  return { content: found.content, locale, localized: found.tag };
};
