import type { Channel } from '../../../foundation/channel.ts';
import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { EmailContent, OutboxMessage, PushContent, SmsContent } from './answers.generated.ts';

/** A message as its provider receives it, by channel. */
export type ContentOf = { readonly email: EmailContent; readonly push: PushContent; readonly sms: SmsContent };
export type OutboxContent = ContentOf[Channel];

export type OutboxQuery = PageQuery & {
  readonly channel?: Channel | undefined;
  readonly userId?: string | undefined;
};

/** Messages that the sandbox recorded in `test`, newest first. */
export type OutboxApi = {
  list(scope: Scope, query?: OutboxQuery): Promise<Page<OutboxMessage>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<OutboxMessage>;
  /** Returns the number of removed messages. */
  clear(scope: Scope): Promise<number>;
};
