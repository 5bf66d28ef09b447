import type { ReadyMessage } from './message.ts';

/**
 * Which content a message is rendered from: variant and locale are chosen here, by its facts. A send has one content
 * today, so it is that one. Null where the send is gone. Pure.
 */
export const chooseContent = ({ send }: Pick<ReadyMessage, 'send'>): Readonly<Record<string, unknown>> | null =>
  send?.content ?? null;
