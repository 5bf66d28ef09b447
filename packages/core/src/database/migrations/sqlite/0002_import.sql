CREATE TABLE `auth_hash_configs` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`stand_in` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
ALTER TABLE `auth_passwords` ADD `hash_config_id` text;--> statement-breakpoint
CREATE INDEX `auth_passwords_config` ON `auth_passwords` (`scope_id`,`hash_config_id`) WHERE hash_config_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_state` ON `auth_signing_keys` (`scope_id`,`state`) WHERE state in ('active', 'next');