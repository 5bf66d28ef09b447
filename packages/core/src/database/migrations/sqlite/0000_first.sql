CREATE TABLE `orgs` (
	`org_id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`project_key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`org_id`,`project_id`);--> statement-breakpoint
CREATE TABLE `scopes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org_id` text NOT NULL,
	`project_id` text NOT NULL,
	`environment` text NOT NULL,
	`project_key` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `scopes_name` ON `scopes` (`org_id`,`project_id`,`environment`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`last_four` text NOT NULL,
	`kind` text NOT NULL,
	`environment` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `api_key_grants` (
	`org_id` text NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	PRIMARY KEY(`org_id`, `project_id`, `key_id`)
);
--> statement-breakpoint
CREATE INDEX `api_key_grants_key` ON `api_key_grants` (`key_id`);--> statement-breakpoint
CREATE TABLE `data_keys` (
	`org_id` text NOT NULL,
	`kid` text NOT NULL,
	`wrapped` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kid`)
);
--> statement-breakpoint
CREATE TABLE `secrets` (
	`org_id` text NOT NULL,
	`project_id` text NOT NULL,
	`environment` text NOT NULL,
	`name` text NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `project_id`, `environment`, `name`)
);
--> statement-breakpoint
CREATE TABLE `events` (
	`position` integer PRIMARY KEY NOT NULL,
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`person` text NOT NULL,
	`person_key` integer NOT NULL,
	`anonymous_id` text,
	`module` text NOT NULL,
	`event_type` text NOT NULL,
	`properties` text NOT NULL,
	`traits` text,
	`context` text,
	`session_id` text,
	`message_id` text,
	`source` text NOT NULL,
	`timestamp` integer NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id` ON `events` (`scope_id`,`id`);--> statement-breakpoint
CREATE TABLE `events_by_person` (
	`person_key` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`person_key`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `events_by_person_cursor` (
	`id` integer PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`pass_end` integer NOT NULL,
	`next_person_key` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `event_cursors` (
	`name` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`pending_position` integer,
	`open_transactions` text
);
--> statement-breakpoint
CREATE TABLE `event_message_ids` (
	`scope_id` integer NOT NULL,
	`message_id` text NOT NULL,
	`event_id` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `message_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `raised_events` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`person` text NOT NULL,
	`module` text NOT NULL,
	`event_type` text NOT NULL,
	`properties` text NOT NULL,
	`depth` integer NOT NULL,
	`run_budget` integer NOT NULL,
	`budget_run_id` text,
	`raised_at` integer NOT NULL,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `raised_events_due` ON `raised_events` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `profiles` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	`traits` text NOT NULL,
	`version` integer NOT NULL,
	`is_truncated` integer NOT NULL,
	`email` text,
	`phone` text,
	`locale` text,
	`timezone` text,
	`locale_override` text,
	`timezone_override` text,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `person`)
);
--> statement-breakpoint
CREATE INDEX `profiles_phone` ON `profiles` (`scope_id`,`phone`) WHERE phone is not null;--> statement-breakpoint
CREATE TABLE `aliases` (
	`scope_id` integer NOT NULL,
	`anonymous_id` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`move_due_at` integer,
	PRIMARY KEY(`scope_id`, `anonymous_id`)
);
--> statement-breakpoint
CREATE INDEX `aliases_user` ON `aliases` (`scope_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `aliases_move_due` ON `aliases` (`move_due_at`) WHERE move_due_at is not null;--> statement-breakpoint
CREATE TABLE `audiences` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`kind` text NOT NULL,
	`predicate` text,
	`version` integer NOT NULL,
	`stage` text,
	`cursor` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audiences_name` ON `audiences` (`scope_id`,`name`);--> statement-breakpoint
CREATE INDEX `audiences_due` ON `audiences` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `audience_members` (
	`scope_id` integer NOT NULL,
	`audience_id` text NOT NULL,
	`person` text NOT NULL,
	`joined_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `audience_id`, `person`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `audience_members_person` ON `audience_members` (`scope_id`,`person`,`audience_id`);--> statement-breakpoint
CREATE TABLE `audience_checks` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `audience_checks_due` ON `audience_checks` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `person_events` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	`event_type` text NOT NULL,
	`total` integer NOT NULL,
	`recent` text NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `person`, `event_type`)
);
--> statement-breakpoint
CREATE TABLE `counted_events` (
	`scope_id` integer NOT NULL,
	`event_type` text NOT NULL,
	`recent_limit` integer NOT NULL,
	`counted_since` integer NOT NULL,
	`cursor` text,
	`is_backfilled` integer NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `event_type`)
);
--> statement-breakpoint
CREATE TABLE `workflows` (
	`project_key` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`trigger` text NOT NULL,
	`steps` text NOT NULL,
	`is_active` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_key`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflows_name` ON `workflows` (`project_key`,`name`);--> statement-breakpoint
CREATE TABLE `workflow_versions` (
	`project_key` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`version` integer NOT NULL,
	`name` text NOT NULL,
	`trigger` text NOT NULL,
	`steps` text NOT NULL,
	`is_active` integer NOT NULL,
	`is_deleted` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_key`, `workflow_id`, `version`)
);
--> statement-breakpoint
CREATE TABLE `awaited_events` (
	`project_key` integer NOT NULL,
	`event_type` text NOT NULL,
	PRIMARY KEY(`project_key`, `event_type`)
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`workflow_version` integer NOT NULL,
	`workflow_name` text NOT NULL,
	`person` text NOT NULL,
	`trigger_event_id` text NOT NULL,
	`trigger_event` text NOT NULL,
	`status` text NOT NULL,
	`outcome` text,
	`depth` integer NOT NULL,
	`run_budget` integer NOT NULL,
	`budget_run_id` text,
	`exit_reason` text,
	`cursor` text NOT NULL,
	`attempt` integer NOT NULL,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`error` text,
	`context` text NOT NULL,
	`due_at` integer,
	`waiting_since` integer,
	`woken_by` text,
	`awaits_event` text,
	`awaits_filters` text,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_trigger` ON `runs` (`scope_id`,`workflow_id`,`trigger_event_id`,`person`);--> statement-breakpoint
CREATE INDEX `runs_person` ON `runs` (`scope_id`,`person`,`id`);--> statement-breakpoint
CREATE INDEX `runs_awaiting` ON `runs` (`scope_id`,`person`,`awaits_event`) WHERE awaits_event is not null;--> statement-breakpoint
CREATE INDEX `runs_due` ON `runs` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `run_budgets` (
	`scope_id` integer NOT NULL,
	`run_id` text NOT NULL,
	`used` integer NOT NULL,
	`refused` integer NOT NULL,
	`max_runs` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `run_id`)
);
--> statement-breakpoint
CREATE TABLE `run_steps` (
	`scope_id` integer NOT NULL,
	`run_id` text NOT NULL,
	`path` text NOT NULL,
	`attempt` integer NOT NULL,
	`type` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`send_id` text,
	`http_status` integer,
	`output` text,
	`usage` text,
	PRIMARY KEY(`scope_id`, `run_id`, `path`, `attempt`)
);
--> statement-breakpoint
CREATE TABLE `push_tokens` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`token_key` text NOT NULL,
	`person` text,
	`platform` text NOT NULL,
	`token` text NOT NULL,
	`locale` text,
	`timezone` text,
	`app_version` text,
	`apns_environment` text,
	`is_active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`registered_at` integer NOT NULL,
	`last_error` text,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `push_tokens_token` ON `push_tokens` (`scope_id`,`token_key`);--> statement-breakpoint
CREATE INDEX `push_tokens_person` ON `push_tokens` (`scope_id`,`person`,`id`,`is_active`);--> statement-breakpoint
CREATE TABLE `token_owners` (
	`token_key` text PRIMARY KEY NOT NULL,
	`scope_id` integer NOT NULL,
	`id` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `geofences` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`lat` real NOT NULL,
	`lng` real NOT NULL,
	`radius_meters` real NOT NULL,
	`transitions` text NOT NULL,
	`dwell_seconds` integer,
	`data` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `geofence_crossings` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	`geofence_id` text NOT NULL,
	`transition` text NOT NULL,
	`last_counted_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `person`, `geofence_id`, `transition`)
);
--> statement-breakpoint
CREATE INDEX `geofence_crossings_counted` ON `geofence_crossings` (`last_counted_at`);--> statement-breakpoint
CREATE TABLE `live_activities` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`external_id` text NOT NULL,
	`device` text NOT NULL,
	`token` text NOT NULL,
	`person` text NOT NULL,
	`activity_type` text NOT NULL,
	`apns_environment` text,
	`status` text NOT NULL,
	`started_at` integer NOT NULL,
	`last_updated_at` integer NOT NULL,
	`ended_at` integer,
	`stale_at` integer,
	`updates` integer NOT NULL,
	`last_timestamp` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `live_activities_device` ON `live_activities` (`scope_id`,`external_id`,`device`);--> statement-breakpoint
CREATE INDEX `live_activities_person` ON `live_activities` (`scope_id`,`person`);--> statement-breakpoint
CREATE INDEX `live_activities_updated` ON `live_activities` (`last_updated_at`) WHERE status = 'active';--> statement-breakpoint
CREATE TABLE `live_activity_start_tokens` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`token` text NOT NULL,
	`activity_type` text NOT NULL,
	`person` text NOT NULL,
	`apns_environment` text,
	`is_active` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `live_activity_start_tokens_token` ON `live_activity_start_tokens` (`scope_id`,`token`,`activity_type`);--> statement-breakpoint
CREATE INDEX `live_activity_start_tokens_person` ON `live_activity_start_tokens` (`scope_id`,`person`);--> statement-breakpoint
CREATE TABLE `live_activity_pending_pushes` (
	`scope_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`push` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `external_id`)
);
--> statement-breakpoint
CREATE INDEX `live_activity_pending_pushes_created` ON `live_activity_pending_pushes` (`created_at`);--> statement-breakpoint
CREATE TABLE `live_activity_starts` (
	`scope_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`started_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `external_id`)
);
--> statement-breakpoint
CREATE INDEX `live_activity_starts_started` ON `live_activity_starts` (`started_at`);--> statement-breakpoint
CREATE TABLE `sends` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`status` text NOT NULL,
	`source` text NOT NULL,
	`class` text NOT NULL,
	`title` text,
	`workflow_run_id` text,
	`step_path` text,
	`template_id` text,
	`template_version` integer,
	`content` text NOT NULL,
	`variables` text NOT NULL,
	`recipients` text NOT NULL,
	`expanded_recipients` integer NOT NULL,
	`expanded_address` text,
	`audience_id` text,
	`expanded_person` text,
	`token_count` integer NOT NULL,
	`targeted` integer NOT NULL,
	`sent` integer NOT NULL,
	`failed` integer NOT NULL,
	`bounced` integer NOT NULL,
	`suppressed` integer NOT NULL,
	`deferred` integer NOT NULL,
	`delivered` integer NOT NULL,
	`opened` integer NOT NULL,
	`unique_opened` integer NOT NULL,
	`machine_opened` integer NOT NULL,
	`clicked` integer NOT NULL,
	`unique_clicked` integer NOT NULL,
	`category` text,
	`ab_test_id` text,
	`has_mail_permit` integer NOT NULL,
	`tags` text NOT NULL,
	`error` text,
	`error_code` text,
	`scheduled_for` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`cancelled_at` integer,
	`reported_counts` text,
	`reported_at` integer,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sends_step` ON `sends` (`scope_id`,`workflow_run_id`,`step_path`) WHERE workflow_run_id is not null;--> statement-breakpoint
CREATE INDEX `sends_due` ON `sends` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `sends_unreported` ON `sends` (`scope_id`,`id`) WHERE reported_at is null;--> statement-breakpoint
CREATE INDEX `sends_ended` ON `sends` (`scope_id`,`finished_at`,`id`) WHERE channel = 'push' and targeted = 0 and status in ('cancelled', 'suppressed');--> statement-breakpoint
CREATE INDEX `sends_open` ON `sends` (`scope_id`,`channel`,`created_at`) WHERE status in ('queued', 'sending');--> statement-breakpoint
CREATE TABLE `messages` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`send_id` text NOT NULL,
	`channel` text NOT NULL,
	`person` text,
	`address` text,
	`address_name` text,
	`token_id` text,
	`facts` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`reason` text,
	`error_code` text,
	`error` text,
	`provider` text,
	`provider_id` text,
	`attempt` integer NOT NULL,
	`created_at` integer NOT NULL,
	`deferred_at` integer,
	`deferred_until` integer,
	`sent_at` integer,
	`delivered_at` integer,
	`opened_at` integer,
	`clicked_at` integer,
	`last_opened_at` integer,
	`last_clicked_at` integer,
	`click_action` text,
	`machine_reason` text,
	`machine_opened_at` integer,
	`machine_clicked_at` integer,
	`complained_at` integer,
	`unsubscribed_at` integer,
	`ab_test_id` text,
	`variant` text,
	`ab_test_unit` text,
	`converted_at` integer,
	`finished_at` integer,
	`priority` integer NOT NULL,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `messages_send` ON `messages` (`scope_id`,`send_id`,`id`);--> statement-breakpoint
CREATE INDEX `messages_person` ON `messages` (`scope_id`,`person`,`id`);--> statement-breakpoint
CREATE INDEX `messages_due` ON `messages` (`priority`,`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `messages_finished` ON `messages` (`scope_id`,`channel`,`finished_at`,`id`) WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX `messages_undelivered` ON `messages` (`scope_id`,`channel`,`status`,`finished_at`,`id`) WHERE channel <> 'push' and status in ('bounced', 'failed');--> statement-breakpoint
CREATE INDEX `messages_delivered` ON `messages` (`scope_id`,`delivered_at`,`id`) WHERE delivered_at is not null;--> statement-breakpoint
CREATE INDEX `messages_retried` ON `messages` (`scope_id`,`channel`) WHERE error_code is not null and due_at is not null;--> statement-breakpoint
CREATE INDEX `messages_provider` ON `messages` (`provider_id`) WHERE provider_id is not null and channel <> 'push';--> statement-breakpoint
CREATE INDEX `messages_sms_address` ON `messages` (`scope_id`,`address`,`id`) WHERE channel = 'sms';--> statement-breakpoint
CREATE INDEX `messages_ab_test` ON `messages` (`scope_id`,`ab_test_id`,`ab_test_unit`,`id`) WHERE ab_test_id is not null;--> statement-breakpoint
CREATE INDEX `messages_held` ON `messages` (`scope_id`,`channel`,`id`) WHERE reason in ('held', 'unreachable');--> statement-breakpoint
CREATE TABLE `variant_counts` (
	`scope_id` integer NOT NULL,
	`ab_test_id` text NOT NULL,
	`variant` text NOT NULL,
	`opened` integer NOT NULL,
	`clicked` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `ab_test_id`, `variant`)
);
--> statement-breakpoint
CREATE TABLE `outbox_messages` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`send_id` text NOT NULL,
	`message_id` text NOT NULL,
	`user_id` text,
	`address` text NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `outbox_messages_message` ON `outbox_messages` (`scope_id`,`message_id`);--> statement-breakpoint
CREATE TABLE `ab_tests` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`name` text NOT NULL,
	`status` text NOT NULL,
	`variants` text NOT NULL,
	`metric` text NOT NULL,
	`event_type` text,
	`winner_key` text,
	`version` integer NOT NULL,
	`assigned_at` integer,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ab_tests_channel` ON `ab_tests` (`scope_id`,`channel`,`id`);--> statement-breakpoint
CREATE INDEX `ab_tests_counting` ON `ab_tests` (`scope_id`) WHERE event_type is not null;--> statement-breakpoint
CREATE TABLE `credentials` (
	`scope_id` integer NOT NULL,
	`channel` text NOT NULL,
	`provider` text NOT NULL,
	`version` integer NOT NULL,
	`sealed` text,
	`last_four` text,
	`updated_at` integer NOT NULL,
	`proven_at` integer,
	`circuit_until` integer,
	`circuit_code` text,
	`shared_token` text,
	`shared_token_issued_at` integer,
	PRIMARY KEY(`scope_id`, `channel`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`scope_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `name`)
);
--> statement-breakpoint
CREATE TABLE `callbacks` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`bytes` integer NOT NULL,
	`received_at` integer NOT NULL,
	`applied_at` integer,
	`events` integer NOT NULL,
	`applied` integer NOT NULL,
	`duplicates` integer NOT NULL,
	`unknown` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `callbacks_received` ON `callbacks` (`received_at`);--> statement-breakpoint
CREATE TABLE `callback_secrets` (
	`scope_id` integer NOT NULL,
	`channel` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `channel`, `provider`)
);
--> statement-breakpoint
CREATE TABLE `callback_events` (
	`scope_id` integer NOT NULL,
	`provider` text NOT NULL,
	`event_id` text NOT NULL,
	`callback_id` text NOT NULL,
	`person` text,
	`address` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `provider`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `callback_events_person` ON `callback_events` (`scope_id`,`person`) WHERE person is not null;--> statement-breakpoint
CREATE INDEX `callback_events_address` ON `callback_events` (`scope_id`,`address`) WHERE address is not null;--> statement-breakpoint
CREATE INDEX `callback_events_created` ON `callback_events` (`created_at`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`scope_id` integer NOT NULL,
	`channel` text NOT NULL,
	`address_key` text NOT NULL,
	`reason` text NOT NULL,
	`sender` text NOT NULL,
	`id` text NOT NULL,
	`source` text NOT NULL,
	`message_id` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `channel`, `address_key`, `reason`, `sender`)
);
--> statement-breakpoint
CREATE INDEX `suppressions_list` ON `suppressions` (`scope_id`,`channel`,`id`);--> statement-breakpoint
CREATE TABLE `cap_entries` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	`rule` text NOT NULL,
	`send_id` text NOT NULL,
	`handovers` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `person`, `rule`, `send_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `cap_entries_expired` ON `cap_entries` (`expires_at`);--> statement-breakpoint
CREATE TABLE `cap_locks` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	PRIMARY KEY(`scope_id`, `person`)
);
--> statement-breakpoint
CREATE TABLE `templates` (
	`project_key` integer NOT NULL,
	`id` text NOT NULL,
	`channel` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`content` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_key`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `templates_name` ON `templates` (`project_key`,`channel`,`name`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`scope_id` integer NOT NULL,
	`person` text NOT NULL,
	`channel` text NOT NULL,
	`category` text NOT NULL,
	`is_subscribed` integer NOT NULL,
	`source` text NOT NULL,
	`message_id` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `person`, `channel`, `category`)
);
--> statement-breakpoint
CREATE TABLE `email_domains` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`domain` text NOT NULL,
	`nonce` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`verified_at` integer,
	`checked_at` integer,
	`recheck_at` integer NOT NULL,
	`dkim_selector` text,
	`dkim_public_key` text,
	`dkim_sealed` text,
	`dkim_found` integer,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `email_domains_name` ON `email_domains` (`scope_id`,`domain`);--> statement-breakpoint
CREATE INDEX `email_domains_recheck` ON `email_domains` (`recheck_at`,`id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text,
	`is_active` integer NOT NULL,
	`is_pulled` integer NOT NULL,
	`sealed` text NOT NULL,
	`version` integer NOT NULL,
	`disabled_reason` text,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`step` text,
	`status` text NOT NULL,
	`reason` text,
	`trigger` text NOT NULL,
	`attempts` integer NOT NULL,
	`attempt_log` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`scope_id`,`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`scope_id`,`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `webhook_bodies` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`person` text,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_bodies_person` ON `webhook_bodies` (`scope_id`,`person`);--> statement-breakpoint
CREATE INDEX `webhook_bodies_created` ON `webhook_bodies` (`created_at`);--> statement-breakpoint
CREATE TABLE `mail_limits` (
	`org_id` text PRIMARY KEY NOT NULL,
	`is_probation` integer NOT NULL,
	`tat_us` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `call_rates` (
	`org_id` text NOT NULL,
	`kind` text NOT NULL,
	`per_minute` integer NOT NULL,
	PRIMARY KEY(`org_id`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `call_buckets` (
	`digest` text PRIMARY KEY NOT NULL,
	`tat_us` integer NOT NULL,
	`unsynced` integer NOT NULL,
	`requested` integer NOT NULL,
	`period_us` integer NOT NULL,
	`burst` integer NOT NULL,
	`granted` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `call_buckets_tat` ON `call_buckets` (`tat_us`);--> statement-breakpoint
CREATE TABLE `event_hours` (
	`scope_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`event_type` text NOT NULL,
	`module` text NOT NULL,
	`source` text NOT NULL,
	`quarter_0` integer NOT NULL,
	`quarter_1` integer NOT NULL,
	`quarter_2` integer NOT NULL,
	`quarter_3` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `hour`, `event_type`, `module`, `source`)
);
--> statement-breakpoint
CREATE TABLE `send_quarters` (
	`scope_id` integer NOT NULL,
	`quarter` integer NOT NULL,
	`channel` text NOT NULL,
	`template_id` text NOT NULL,
	`workflow_id` text NOT NULL,
	`targeted` integer NOT NULL,
	`sent` integer NOT NULL,
	`delivered` integer NOT NULL,
	`opened` integer NOT NULL,
	`clicked` integer NOT NULL,
	`bounced` integer NOT NULL,
	`failed` integer NOT NULL,
	`suppressed` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `quarter`, `channel`, `template_id`, `workflow_id`)
);
--> statement-breakpoint
CREATE TABLE `active_hours` (
	`scope_id` integer NOT NULL,
	`hour` integer NOT NULL,
	`sample_level` integer NOT NULL,
	`sample` text NOT NULL,
	PRIMARY KEY(`scope_id`, `hour`)
);
--> statement-breakpoint
CREATE TABLE `analytics_query_slots` (
	`org_id` text NOT NULL,
	`slot` integer NOT NULL,
	`holder` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`org_id`, `slot`)
);
--> statement-breakpoint
CREATE TABLE `event_usage` (
	`org_id` text NOT NULL,
	`month` text NOT NULL,
	`slot` integer NOT NULL,
	`events` integer NOT NULL,
	`max_events` integer NOT NULL,
	PRIMARY KEY(`org_id`, `month`, `slot`)
);
--> statement-breakpoint
CREATE TABLE `ai_settings` (
	`org_id` text PRIMARY KEY NOT NULL,
	`wire` text NOT NULL,
	`base_url` text NOT NULL,
	`sealed` text,
	`last_four` text,
	`models` text NOT NULL,
	`prices` text NOT NULL,
	`faulty_at` integer,
	`faulty_code` text,
	`version` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ai_usage` (
	`org_id` text NOT NULL,
	`day` text NOT NULL,
	`tokens` integer NOT NULL,
	PRIMARY KEY(`org_id`, `day`)
);
--> statement-breakpoint
CREATE INDEX `ai_usage_day` ON `ai_usage` (`day`);--> statement-breakpoint
CREATE TABLE `ai_calls` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`run_id` text NOT NULL,
	`path` text NOT NULL,
	`attempt` integer NOT NULL,
	`tries` integer NOT NULL,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ai_calls_due` ON `ai_calls` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`scope_id` integer NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`holder` text NOT NULL,
	`expires_at` integer NOT NULL,
	`answer` text,
	PRIMARY KEY(`scope_id`, `route`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expired` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`user_id` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`due_at` integer,
	`lease_until` integer,
	`fence` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `erasures_due` ON `erasures` (`due_at`,`id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `erasures_pending` ON `erasures` (`scope_id`,`user_id`) WHERE user_id is not null;--> statement-breakpoint
CREATE TABLE `workers` (
	`id` text PRIMARY KEY NOT NULL,
	`last_seen_at` integer NOT NULL,
	`time_zone_data` text NOT NULL
);
