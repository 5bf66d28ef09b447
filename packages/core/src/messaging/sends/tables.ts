import { sql } from 'drizzle-orm';
import type { Columns } from '../../database/columns.ts';
import type { ProviderName } from '../../delivery/providers/names.ts';
import type { Channel, SendClass } from '../../foundation/channel.ts';
import type { AddressFacts } from './channel.ts';
import type { MessageReason, MessageStatus, Places, Role, SendSource, SendStatus } from './schema.ts';
import type { MachineReason } from './track/machine.ts';

/** Facts of an address as a message row keeps them; the token's id has a column of its own. */
export type StoredFacts = Omit<AddressFacts, 'tokenId'>;

/** Accepted requests to reach people, one row per address of each, and what the sandbox caught. */
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
      /** What it was made from; what it says is in `content`, so neither has to be there still. */
      templateId: c.id('template_id'),
      templateVersion: c.int('template_version'),
      /** What the channel renders, as it was accepted. */
      content: c.json<Readonly<Record<string, unknown>>>('content').notNull(),
      /** The scopes that a message of this send may use besides its own person's. */
      variables: c.json<Readonly<Record<string, unknown>>>('variables').notNull(),
      recipients: c.json<Places>('recipients').notNull(),
      /** Recipients that have messages. Changed in the transaction that writes the messages. */
      expandedRecipients: c.int('expanded_recipients').notNull(),
      /** The last address of the next recipient that has a message; null: none has. */
      expandedAddress: c.text('expanded_address'),
      /** Whose members it is for; null: for its recipients. */
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
      /** Bounced ones among them. */
      failed: c.int('failed').notNull(),
      bounced: c.int('bounced').notNull(),
      suppressed: c.int('suppressed').notNull(),
      /** Messages that are put off to an hour at which they may go. */
      deferred: c.int('deferred').notNull(),
      delivered: c.int('delivered').notNull(),
      opened: c.int('opened').notNull(),
      uniqueOpened: c.int('unique_opened').notNull(),
      /** By programs: in no other count. */
      machineOpened: c.int('machine_opened').notNull(),
      clicked: c.int('clicked').notNull(),
      uniqueClicked: c.int('unique_clicked').notNull(),
      category: c.text('category'),
      abTestId: c.id('ab_test_id'),
      /** Of mail: it was counted against the mails that its org may start per minute. */
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
      /** The counts that analytics have taken over last; null: none. */
      reportedCounts: c.text('reported_counts'),
      /** When analytics took them over; null: they have changed since. */
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
      // Sends that ended without a message: their rows alone tell of it.
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
      /** Null where the address was given and no user stands behind it. */
      person: c.text('person'),
      address: c.text('address'),
      addressName: c.text('address_name'),
      /** Of push: the registered token behind the address. */
      tokenId: c.id('token_id'),
      facts: c.json<StoredFacts>('facts').notNull(),
      role: c.text('role').$type<Role>().notNull(),
      status: c.text('status').$type<MessageStatus>().notNull(),
      reason: c.text('reason').$type<MessageReason>(),
      errorCode: c.text('error_code'),
      error: c.text('error'),
      /** Whom it was handed to last; null: nobody yet. */
      provider: c.text('provider').$type<ProviderName | 'sandbox'>(),
      providerId: c.text('provider_id'),
      attempt: c.int('attempt').notNull(),
      createdAt: c.time('created_at').notNull(),
      /** When it was put off for the first time because it may not go at that hour; null: never. */
      deferredAt: c.time('deferred_at'),
      /** The end of the last deferral, such as quiet hours; null: it was never deferred. */
      deferredUntil: c.time('deferred_until'),
      sentAt: c.time('sent_at'),
      deliveredAt: c.time('delivered_at'),
      openedAt: c.time('opened_at'),
      clickedAt: c.time('clicked_at'),
      /** Of mail: when an open, or a click, last counted. */
      lastOpenedAt: c.time('last_opened_at'),
      lastClickedAt: c.time('last_clicked_at'),
      clickAction: c.text('click_action'),
      /** Of mail: why the first open or click of a program counts as automatic, and when programs last opened and clicked. */
      machineReason: c.text('machine_reason').$type<MachineReason>(),
      machineOpenedAt: c.time('machine_opened_at'),
      machineClickedAt: c.time('machine_clicked_at'),
      /** Of mail: when whoever got it called it spam. */
      complainedAt: c.time('complained_at'),
      /** Of mail: when whoever got it unsubscribed by it. */
      unsubscribedAt: c.time('unsubscribed_at'),
      /** The A/B test, the variant, and the unit that the test counts: a person or an address. Null: no test. */
      abTestId: c.id('ab_test_id'),
      variant: c.text('variant'),
      abTestUnit: c.text('ab_test_unit'),
      /** When its person first did what the test counts by events. */
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
      // Of mails and text messages these endings alone are events.
      c
        .index('messages_undelivered')
        .on(t.scopeId, t.channel, t.status, t.finishedAt, t.id)
        .where(sql`channel <> 'push' and status in ('bounced', 'failed')`),
      c.index('messages_delivered').on(t.scopeId, t.deliveredAt, t.id).where(sql`delivered_at is not null`),
      c.index('messages_retried').on(t.scopeId, t.channel).where(sql`error_code is not null and due_at is not null`),
      // Whoever reports by a provider's id knows no scope. Pushes are reported by ours.
      c.index('messages_provider').on(t.providerId).where(sql`provider_id is not null and channel <> 'push'`),
      // Whoever writes to one of our numbers is whom the newest message to theirs was for.
      c.index('messages_sms_address').on(t.scopeId, t.address, t.id).where(sql`channel = 'sms'`),
      c.index('messages_ab_test').on(t.scopeId, t.abTestId, t.abTestUnit, t.id).where(sql`ab_test_id is not null`),
      c.index('messages_held').on(t.scopeId, t.channel, t.id).where(sql`reason in ('held', 'unreachable')`),
    ],
  ),
  /** How often messages of a variant were opened and clicked, one by one. */
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
      /** What a real transport would have been given, rendered in full. */
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
