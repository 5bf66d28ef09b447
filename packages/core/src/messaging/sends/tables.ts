import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { ProviderName } from '../../delivery/providers/names.ts';
import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { AddressFacts } from './channel.ts';
import type { MessageReason, MessageStatus, Role, SendSource, SendStatus, StoredRecipients } from './schema.ts';
import type { MachineReason } from './track/machine.ts';

/** Facts of an address as a message row stores them; the token id has its own column. */
export type StoredFacts = Omit<AddressFacts, 'tokenId'>;

/** Accepted sends, one message row per address, and the outbox of the sandbox. */
export const sendingTables = (c: Columns) => ({
  sends: c.table(
    'sends',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      status: c.text('status').$type<SendStatus>().notNull(),
      source: c.text('source').$type<SendSource>().notNull(),
      class: c.text('class').$type<SendClass>().notNull(),
      title: c.text('title'),
      workflowRunId: c.id('workflow_run_id'),
      stepPath: c.text('step_path'),
      /** Origin of the content. The content itself is in `content`, so the template may be deleted. */
      templateId: c.id('template_id'),
      templateVersion: c.int('template_version'),
      /** Content for the channel's renderer, as accepted. */
      content: c.json<Readonly<Record<string, unknown>>>('content').notNull(),
      /** Template scopes besides the recipient's own. */
      variables: c.json<Readonly<Record<string, unknown>>>('variables').notNull(),
      recipients: c.json<StoredRecipients>('recipients').notNull(),
      /** Recipients that have messages. Updated in the transaction that writes the messages. */
      expandedRecipients: c.int('expanded_recipients').notNull(),
      /** The last address of the next recipient that has a message; null: none. */
      expandedAddress: c.text('expanded_address'),
      /** Audience whose members are the recipients; null: `recipients`. */
      audienceId: c.id('audience_id'),
      /**
       * Sealed values for rendering, such as a sign-in code: see deliver/sealed.ts. Set to null when the send ends. Null:
       * none.
       */
      sealed: c.text('sealed'),
      /** Audience sends: the last member with written messages. `expandedAddress` is an address of this member. */
      expandedPerson: c.text('expanded_person'),
      tokenCount: c.int('token_count').notNull(),
      targeted: c.int('targeted').notNull(),
      sent: c.int('sent').notNull(),
      /** Failed messages, including bounced ones. */
      failed: c.int('failed').notNull(),
      bounced: c.int('bounced').notNull(),
      suppressed: c.int('suppressed').notNull(),
      /** Messages deferred to an allowed hour. */
      deferred: c.int('deferred').notNull(),
      delivered: c.int('delivered').notNull(),
      opened: c.int('opened').notNull(),
      uniqueOpened: c.int('unique_opened').notNull(),
      /** Opens by programs; in no other count. */
      machineOpened: c.int('machine_opened').notNull(),
      clicked: c.int('clicked').notNull(),
      uniqueClicked: c.int('unique_clicked').notNull(),
      category: c.text('category'),
      abTestId: c.id('ab_test_id'),
      /** Email only: the send was counted against the organization's emails per minute. */
      hasMailPermit: c.bool('has_mail_permit').notNull(),
      tags: c.json<Readonly<Record<string, string>>>('tags').notNull(),
      error: c.text('error'),
      errorCode: c.text('error_code'),
      scheduledFor: c.time('scheduled_for'),
      createdAt: c.time('created_at').notNull(),
      /** When the first message was handed over. A send that has started cannot be cancelled. */
      startedAt: c.time('started_at'),
      finishedAt: c.time('finished_at'),
      cancelledAt: c.time('cancelled_at'),
      /** Counts that analytics last recorded; null: none. */
      reportedCounts: c.text('reported_counts'),
      /** When analytics recorded them; null: they changed since. */
      reportedAt: c.time('reported_at'),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.unique('sends_step').on(t.scopeId, t.workflowRunId, t.stepPath).where(sql`workflow_run_id is not null`),
      c.index('sends_due').on(t.dueAt, t.id).where(sql`due_at is not null`),
      c.index('sends_unreported').on(t.scopeId, t.id).where(sql`reported_at is null`),
      // Sends that ended without a message, so only their rows show it.
      c
        .index('sends_ended')
        .on(t.scopeId, t.finishedAt, t.id)
        .where(sql`channel = 'push' and targeted = 0 and status in ('cancelled', 'suppressed')`),
      c.index('sends_open').on(t.scopeId, t.channel, t.createdAt).where(sql`status in ('queued', 'sending')`),
    ],
  ),
  messages: c.table(
    'messages',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      sendId: c.id('send_id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      /** Null for a raw address without a user. */
      person: c.text('person'),
      address: c.text('address'),
      addressName: c.text('address_name'),
      /** Push only: the registered token of the address. */
      tokenId: c.id('token_id'),
      facts: c.json<StoredFacts>('facts').notNull(),
      role: c.text('role').$type<Role>().notNull(),
      status: c.text('status').$type<MessageStatus>().notNull(),
      reason: c.text('reason').$type<MessageReason>(),
      errorCode: c.text('error_code'),
      error: c.text('error'),
      /** The last provider; null: not handed over yet. */
      provider: c.text('provider').$type<ProviderName | 'sandbox'>(),
      providerId: c.text('provider_id'),
      attempt: c.int('attempt').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** When the message was first deferred for quiet hours; null: never. */
      deferredAt: c.time('deferred_at'),
      /** The end of the last deferral, such as quiet hours; null: it was never deferred. */
      deferredUntil: c.time('deferred_until'),
      sentAt: c.time('sent_at'),
      deliveredAt: c.time('delivered_at'),
      openedAt: c.time('opened_at'),
      clickedAt: c.time('clicked_at'),
      /** Email only: time of the last counted open, or click. */
      lastOpenedAt: c.time('last_opened_at'),
      lastClickedAt: c.time('last_clicked_at'),
      clickAction: c.text('click_action'),
      /**
       * Email only: why the first automated open or click counts as automated, and when programs last opened and
       * clicked.
       */
      machineReason: c.text('machine_reason').$type<MachineReason>(),
      machineOpenedAt: c.time('machine_opened_at'),
      machineClickedAt: c.time('machine_clicked_at'),
      /** Email only: when the recipient reported spam. */
      complainedAt: c.time('complained_at'),
      /** Email only: when the recipient unsubscribed through this message. */
      unsubscribedAt: c.time('unsubscribed_at'),
      /** A/B test, variant, and the unit that the test counts: a user or an address. Null: no test. */
      abTestId: c.id('ab_test_id'),
      variant: c.text('variant'),
      abTestUnit: c.text('ab_test_unit'),
      /** When the user first did what the test counts by events. */
      convertedAt: c.time('converted_at'),
      finishedAt: c.time('finished_at'),
      /** 1: part of a bulk send, claimed after rows with 0. */
      priority: c.int('priority').notNull(),
      dueAt: c.time('due_at'),
      leaseUntil: c.time('lease_until'),
      fence: c.int('fence').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('messages_send').on(t.scopeId, t.sendId, t.id),
      c.index('messages_person').on(t.scopeId, t.person, t.id),
      c.index('messages_due').on(t.priority, t.dueAt, t.id).where(sql`due_at is not null`),
      c.index('messages_finished').on(t.scopeId, t.channel, t.finishedAt, t.id).where(sql`finished_at is not null`),
      // For email and SMS only these endings are events.
      c
        .index('messages_undelivered')
        .on(t.scopeId, t.channel, t.status, t.finishedAt, t.id)
        .where(sql`channel <> 'push' and status in ('bounced', 'failed')`),
      c.index('messages_delivered').on(t.scopeId, t.deliveredAt, t.id).where(sql`delivered_at is not null`),
      c.index('messages_retried').on(t.scopeId, t.channel).where(sql`error_code is not null and due_at is not null`),
      // Provider callbacks know the provider's id but no scope. Pushes are reported by Beckon's own id.
      c.index('messages_provider').on(t.providerId).where(sql`provider_id is not null and channel <> 'push'`),
      // An inbound text message is matched to the newest message sent to that number.
      c.index('messages_sms_address').on(t.scopeId, t.address, t.id).where(sql`channel = 'sms'`),
      c.index('messages_ab_test').on(t.scopeId, t.abTestId, t.abTestUnit, t.id).where(sql`ab_test_id is not null`),
      c.index('messages_held').on(t.scopeId, t.channel, t.id).where(sql`reason in ('held', 'unreachable')`),
    ],
  ),
  /** Opens and clicks of each message with a variant. */
  variantCounts: c.table(
    'variant_counts',
    {
      scopeId: c.scope('scope_id').notNull(),
      abTestId: c.id('ab_test_id').notNull(),
      variant: c.text('variant').notNull(),
      opened: c.int('opened').notNull(),
      clicked: c.int('clicked').notNull(),
    },
    (t) => [c.primaryKey({ columns: [t.scopeId, t.abTestId, t.variant] })],
  ),
  outboxMessages: c.table(
    'outbox_messages',
    {
      scopeId: c.scope('scope_id').notNull(),
      id: c.id('id').notNull(),
      channel: c.text('channel').$type<Channel>().notNull(),
      sendId: c.id('send_id').notNull(),
      messageId: c.id('message_id').notNull(),
      userId: c.text('user_id'),
      address: c.text('address').notNull(),
      /** The fully rendered message that a real transport would get. */
      content: c.json<Readonly<Record<string, unknown>>>('content').notNull(),
      createdAt: c.time('created_at').notNull(),
    },
    (t) => [
      c.primaryKey({ columns: [t.scopeId, t.id] }),
      c.index('outbox_messages_message').on(t.scopeId, t.messageId),
    ],
  ),
});

export type SendingTables = ReturnType<typeof sendingTables>;
