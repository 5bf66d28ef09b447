/**
 * Every statement of write sets, in the order in which a commit runs them. A new statement must be added here.
 *
 * One order for the whole program prevents deadlocks: profiles before their runs, runs before their sends, sends before
 * their messages, messages before the rows that their end changes. Within a table, the order is what the statements
 * rely on: a send is finished after it was counted. Guards come before statements that would otherwise violate a key.
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
  'profiles.insert_of_account',
  'profiles.set_account',
  'profiles.see',
  'profiles.hold',

  // Guards of sign-in come first: most conflicts end here.
  'auth.count_mail',
  'auth.insert_mail_budget',
  'auth.change_mail_budget',
  'auth.insert_saml_seen',
  'auth.take_passkey_challenge',
  'auth.consume_one_time',
  'auth.try_one_time',
  'auth.replace_one_time',
  'auth.remove_one_time',
  'auth.insert_one_time',
  'auth.put_passkey_challenge',
  'auth.insert_user',
  'auth.import_user',
  'auth.change_user',
  'auth.user_unchanged',
  'auth.user_signed_in',
  'auth.delete_user',
  // The first proof of a mailbox by a reset deletes the former password and stores the new one.
  'auth.delete_password',
  'auth.put_password',
  'auth.rehash',
  'auth.remove_identities',
  'auth.remove_identity',
  'auth.insert_identity',
  'auth.insert_scim_user',
  'auth.change_scim_user',
  'auth.remove_scim_user',
  'auth.insert_scim_group',
  'auth.change_scim_group',
  'auth.remove_scim_group',
  'auth.remove_scim_members',
  'auth.remove_scim_memberships',
  'auth.remove_scim_member',
  'auth.insert_scim_member',
  'auth.insert_mfa_state',
  'auth.change_mfa_state',
  'auth.delete_mfa_state',
  'auth.try_factor',
  'auth.confirm_factor',
  'auth.use_factor',
  'auth.delete_factor',
  'auth.delete_factors',
  'auth.insert_factor',
  'auth.use_recovery_code',
  'auth.delete_recovery_codes',
  'auth.insert_recovery_code',
  'auth.delete_mfa_challenges',
  'auth.put_mfa_challenge',
  'auth.use_passkey',
  'auth.rename_passkey',
  'auth.delete_passkey',
  'auth.delete_passkeys',
  'auth.delete_passkey_handle',
  'auth.insert_passkey_handle',
  'auth.insert_passkey',
  'auth.revoke_session',
  'auth.touch_session',
  'auth.authenticate_session',
  'auth.insert_session',
  'auth.use_refresh_token',
  'auth.add_refresh_sibling',
  'auth.insert_refresh_token',
  'auth.put_jwt_template',
  'auth.delete_jwt_template',
  'auth.insert_audit',

  // After the profiles that are counted.
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

  // Before the messages that get its variants.
  'ab_tests.assign',

  'runs.follow',
  'runs.wake',
  'runs.advance',
  'runs.cancel',
  'runs.retry',
  'runs.tell',
  // Its guard comes before the runs that it admits.
  'runs.draw',
  'runs.start',
  'runs.adopt',
  'runs.stop',

  'sending.insert_send',
  'sending.seal',
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
  // As late as possible before the statements that rely on them.
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

  // Counts are read after the lock.
  'caps.lock',
  'caps.take',
  'caps.let_go',
  'caps.release',

  // After the runs of the AI steps.
  'ai.ask',
  'ai.end',
  'ai.put_off',

  // After the sends: the result of a step's messages is visible once its send has ended.
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
  // Last, because commits that count for the same organization wait until this one ends.
  'plans.count',
] as const;

const RANKS: ReadonlyMap<string, number> = new Map(COMMIT_ORDER.map((id, rank) => [id, rank]));

/** The rank of a statement within a commit. Throws TypeError for a statement that is not in the list. */
export const rankOf = (id: string): number => {
  const rank = RANKS.get(id);
  if (rank === undefined) throw new TypeError(`statement ${id} has no place in storage/commit-order.ts`);
  return rank;
};
