CREATE TABLE `auth_factors` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`type` text NOT NULL,
	`secret` text,
	`last_step` integer,
	`tries` integer NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`last_used_at` integer,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `auth_factors_account` ON `auth_factors` (`scope_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `auth_recovery_codes` (
	`scope_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	PRIMARY KEY(`scope_id`, `account_id`, `hash`)
);
--> statement-breakpoint
CREATE TABLE `auth_mfa_state` (
	`scope_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`version` integer NOT NULL,
	`wrong_in_row` integer NOT NULL,
	`wrong_total` integer NOT NULL,
	`next_allowed_at` integer,
	`blocked_at` integer,
	`noticed_at` integer,
	`notices_in_hour` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `account_id`)
);
--> statement-breakpoint
CREATE TABLE `auth_mfa_challenges` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`hash` text,
	`codes_used` integer NOT NULL,
	`first_wrong_at` integer,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	`pending` text NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `auth_mfa_challenges_account` ON `auth_mfa_challenges` (`scope_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `auth_mfa_challenges_expiry` ON `auth_mfa_challenges` (`expires_at`);--> statement-breakpoint
ALTER TABLE `auth_users` ADD `mfa_enabled_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_state` ON `auth_signing_keys` (`scope_id`,`state`) WHERE state in ('active', 'next');