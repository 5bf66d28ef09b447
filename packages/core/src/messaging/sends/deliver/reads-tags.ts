import type { Channel } from '../../../foundation/channel.ts';
import type { SendContent } from './content.ts';
import type { TestView } from './variants.ts';

/** Template paths with facts of the user's newest device, as named by `templateScopes`. */
const TAGS = /user\.(?:locale|timezone)/;

const cache = new WeakMap<object, boolean>();

/** Cached by object: contents are immutable, and messages of one send share one object. */
const names = (texts: object): boolean => {
  const answer = cache.get(texts) ?? TAGS.test(JSON.stringify(texts));
  cache.set(texts, answer);
  return answer;
};

/**
 * True if messages of a send need facts of the users' devices. A push uses its own device, so only its texts may need
 * them; other channels need them for language and zone. Throws nothing.
 *
 * @param send null: the send was deleted and nothing is rendered
 * @param test its variants may replace the content; null: none
 */
export const readsTags = (
  channel: Channel,
  send: Pick<SendContent, 'content'> | null,
  test: Pick<TestView, 'texts'> | null,
): boolean => channel !== 'push' || (send !== null && names(send.content)) || (test !== null && names(test.texts));
