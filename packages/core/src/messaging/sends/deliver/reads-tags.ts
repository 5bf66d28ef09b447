import type { Channel } from '../../../foundation/channel.ts';
import type { SendContent } from './content.ts';
import type { TestView } from './variants.ts';

/** The paths of templates that tell of a person's newest device, as `templateScopes` names them. */
const TAGS = /user\.(?:locale|timezone)/;

const known = new WeakMap<object, boolean>();

/** By the object, which nothing changes: messages of one send have the same one. */
const names = (texts: object): boolean => {
  const answer = known.get(texts) ?? TAGS.test(JSON.stringify(texts));
  known.set(texts, answer);
  return answer;
};

/**
 * Whether anything about messages of a send asks what the devices of their people say. A push goes by its own device, so
 * that only its texts may ask; of the other channels language and zone do. Throws nothing.
 *
 * @param send null: it is gone, and nothing of it is rendered
 * @param test whose variants may stand in place of its content; null: none
 */
export const readsTags = (
  channel: Channel,
  send: Pick<SendContent, 'content'> | null,
  test: Pick<TestView, 'texts'> | null,
): boolean => channel !== 'push' || (send !== null && names(send.content)) || (test !== null && names(test.texts));
