/**
 * Every statement of write sets, in the order in which one commit runs them. Whoever adds a statement adds its id here.
 *
 * It is one order for the whole program, so that two transactions never hold what the other waits for: people before
 * their runs, runs before what these send, sends before their messages, messages before the rows that their ends change.
 * Within a table the order is what the statements rely on: a send is over once it was counted. Guards stand before what
 * would be a violated key without them.
 */
export const COMMIT_ORDER = [
  'idempotency.begin',
  'idempotency.take_over',
  'idempotency.finish',
  'idempotency.drop',

  'callbacks.keep',
  'callbacks.mark',
  'callbacks.note',

  'events.insert_message_id',
  'events.replace_message_id',
  'events.forget_message_id',

  'profiles.insert_alias',
  'profiles.absorb',
  'profiles.insert',
  'profiles.change',
  'profiles.patch',
  'profiles.see',
  'profiles.hold',

  // After the people who are in them.
  'counting.insert',
  'counting.change',
  'counting.absorb',

  'audiences.advance',
  'audiences.next_stage',
  'audiences.leave',
  'audiences.join',
  'audiences.check',
  'audiences.check_again',
  'audiences.end_check',

  // Before the messages that are given its variants.
  'ab_tests.assign',

  'runs.follow',
  'runs.wake',
  'runs.advance',
  'runs.cancel',
  'runs.retry',
  'runs.tell',
  // Its guard before the runs that it lets start.
  'runs.draw',
  'runs.start',
  'runs.adopt',
  'runs.stop',

  'sending.insert_send',
  'sending.cancel_send',
  'sending.cancel_unsent',
  'sending.claim_send',
  'sending.advance',
  'sending.give_up',
  'sending.put_off_send',
  'sending.close',
  'sending.count',
  'sending.count_engagement',
  'sending.count_report',
  'sending.finish_sent',
  'sending.finish_failed',
  'sending.finish_suppressed',
  'sending.sent_after_all',

  'sending.insert_message',
  'sending.fill',
  'sending.cancel_messages',
  'sending.assign',
  // As late as can be before what relies on them.
  'suppressions.still',
  'subscriptions.still',
  'sending.hand_over',
  'sending.hand_over_as',
  'sending.settle',
  'sending.settle_sent',
  'sending.put_off',
  'sending.report',
  'sending.took_after_all',
  'sending.first_complained',
  'sending.first_delivered',
  'sending.deliver',
  'sending.first_opened',
  'sending.opened_again',
  'sending.first_clicked',
  'sending.clicked_again',
  'sending.first_machine_open',
  'sending.machine_opened_again',
  'sending.machine_clicked',
  'sending.first_unsubscribed',
  'sending.convert',
  'sending.begin_variant',
  'sending.count_variant',
  'sending.insert_sandbox_message',

  // What is counted is counted behind the lock.
  'caps.lock',
  'caps.take',
  'caps.let_go',
  'caps.release',

  // Behind the runs that they are of.
  'ai.ask',
  'ai.end',
  'ai.put_off',

  // After the sends that they belong to: what became of a step's messages shows once its send is over.
  'runs.record_step',
  'runs.step_suppressed',
  'runs.step_failed',

  // The owner of a device before its rows: it decides which scope writes them.
  'push.own',
  'push.change_owner',
  'push.leave',
  'push.arrive',
  'push.upsert',
  'push.follow',
  'push.deactivate',
  'push.learn',

  'live_activities.started',
  'live_activities.insert',
  'live_activities.push',
  'live_activities.invalidate',
  'live_activities.retire',

  'geofences.first_crossing',
  'geofences.crossed_again',
  'subscriptions.put',
  'subscriptions.forget',
  'suppressions.insert',
  'suppressions.remove',

  'webhooks.failing',
  'webhooks.working',
  'webhooks.disable',
  'webhooks.settle',
  'webhooks.put_off',

  'events.end_raised',
  'events.insert',
  'events.insert_raised',
  'events.raise',
  'webhooks.insert_body',
  'webhooks.insert',
  'tenancy.note_use',
  // The last: whoever counts for the same org waits for the end of this commit.
  'plans.count',
] as const;

const RANKS: ReadonlyMap<string, number> = new Map(COMMIT_ORDER.map((id, rank) => [id, rank]));

/** The place of a statement within a commit. Throws TypeError for one that is not in the list. */
export const rankOf = (id: string): number => {
  const rank = RANKS.get(id);
  if (rank === undefined) throw new TypeError(`statement ${id} has no place in storage/commit-order.ts`);
  return rank;
};
