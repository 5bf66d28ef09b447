CREATE TABLE `auth_passkeys` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`alg` integer NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`is_backup_eligible` integer,
	`is_backed_up` integer NOT NULL,
	`aaguid` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_passkeys_credential` ON `auth_passkeys` (`scope_id`,`credential_id`);--> statement-breakpoint
CREATE INDEX `auth_passkeys_account` ON `auth_passkeys` (`scope_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `auth_passkey_handles` (
	`scope_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`handle` text NOT NULL,
	PRIMARY KEY(`scope_id`, `account_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_passkey_handles_handle` ON `auth_passkey_handles` (`scope_id`,`handle`);