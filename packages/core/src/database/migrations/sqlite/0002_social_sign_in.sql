CREATE TABLE `auth_identities` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`connection_id` text,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`email` text,
	`email_verified` integer NOT NULL,
	`raw` text NOT NULL,
	`linked_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_identities_subject` ON `auth_identities` (`scope_id`,`provider`,`issuer`,`subject`);--> statement-breakpoint
CREATE INDEX `auth_identities_account` ON `auth_identities` (`scope_id`,`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `auth_social_providers` (
	`scope_id` integer NOT NULL,
	`provider` text NOT NULL,
	`enabled` integer NOT NULL,
	`client_id` text NOT NULL,
	`sealed` text,
	`scopes` text NOT NULL,
	`extra` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `provider`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_state` ON `auth_signing_keys` (`scope_id`,`state`) WHERE state in ('active', 'next');