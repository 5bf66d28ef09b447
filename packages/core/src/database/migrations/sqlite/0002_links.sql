CREATE TABLE `auth_mail_counts` (
	`scope_id` integer NOT NULL,
	`starts_at` integer NOT NULL,
	`part` integer NOT NULL,
	`planned` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `starts_at`, `part`)
);
--> statement-breakpoint
CREATE INDEX `auth_mail_counts_start` ON `auth_mail_counts` (`starts_at`);--> statement-breakpoint
CREATE INDEX `auth_users_guests` ON `auth_users` (`is_anonymous`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_state` ON `auth_signing_keys` (`scope_id`,`state`) WHERE state in ('active', 'next');