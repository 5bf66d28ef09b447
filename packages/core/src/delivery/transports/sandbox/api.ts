import type { Channel } from '../../../foundation/channel.ts';
import type { Page, PageQuery } from '../../../foundation/page.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { Attachment, EmailMessage, PushMessage, SmsMessage } from '../port.ts';
import type { SandboxRequest } from './request.ts';

type Ids = 'messageId' | 'sendId';

/** The fully rendered message that a real transport would send; of a file only its size. */
export type ContentOf = {
  readonly email: Omit<EmailMessage, Ids | 'attachments'> & {
    readonly attachments: readonly (Omit<Attachment, 'content'> & { readonly bytes: number })[];
  };
  readonly push: Omit<PushMessage, Ids | 'now'>;
  readonly sms: Omit<SmsMessage, Ids>;
};
export type SandboxContent = ContentOf[Channel];

type Caught<C extends Channel> = {
  readonly id: string;
  readonly channel: C;
  readonly sendId: string;
  readonly messageId: string;
  readonly userId: string | null;
  readonly address: string;
  /** A push also has the request that its provider would receive. */
  readonly content: ContentOf[C] & { readonly request?: SandboxRequest };
  readonly createdAt: Date;
};

/** One recorded message; `channel` determines the type of its content. */
export type SandboxMessage = { readonly [C in Channel]: Caught<C> }[Channel];

export type OutboxQuery = PageQuery & {
  readonly channel?: Channel | undefined;
  readonly userId?: string | undefined;
};

/** Messages that the sandbox recorded in `test`, newest first. */
export type OutboxApi = {
  list(scope: Scope, query?: OutboxQuery): Promise<Page<SandboxMessage>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<SandboxMessage>;
  /** Returns the number of removed messages. */
  clear(scope: Scope): Promise<number>;
};
