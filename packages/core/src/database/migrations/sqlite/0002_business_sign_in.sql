CREATE TABLE `auth_scim_directories` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`connection_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `auth_scim_tokens` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`directory_id` text NOT NULL,
	`hash` text NOT NULL,
	`last4` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_scim_tokens_hash` ON `auth_scim_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `auth_scim_tokens_directory` ON `auth_scim_tokens` (`scope_id`,`directory_id`,`id`);--> statement-breakpoint
CREATE TABLE `auth_scim_users` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`directory_id` text NOT NULL,
	`account_id` text NOT NULL,
	`external_id` text,
	`user_name` text NOT NULL,
	`user_name_norm` text NOT NULL,
	`display_name_norm` text,
	`active` integer NOT NULL,
	`emails` text NOT NULL,
	`document` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_scim_users_name` ON `auth_scim_users` (`scope_id`,`directory_id`,`user_name_norm`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_scim_users_account` ON `auth_scim_users` (`scope_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `auth_scim_users_page` ON `auth_scim_users` (`scope_id`,`directory_id`,`id`);--> statement-breakpoint
CREATE INDEX `auth_scim_users_external` ON `auth_scim_users` (`scope_id`,`directory_id`,`external_id`);--> statement-breakpoint
CREATE TABLE `auth_scim_groups` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`directory_id` text NOT NULL,
	`external_id` text,
	`display_name` text NOT NULL,
	`display_name_norm` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_scim_groups_name` ON `auth_scim_groups` (`scope_id`,`directory_id`,`display_name_norm`,`id`);--> statement-breakpoint
CREATE INDEX `auth_scim_groups_page` ON `auth_scim_groups` (`scope_id`,`directory_id`,`id`);--> statement-breakpoint
CREATE TABLE `auth_scim_members` (
	`scope_id` integer NOT NULL,
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	PRIMARY KEY(`scope_id`, `group_id`, `user_id`)
);
--> statement-breakpoint
CREATE INDEX `auth_scim_members_user` ON `auth_scim_members` (`scope_id`,`user_id`,`group_id`);--> statement-breakpoint
CREATE TABLE `auth_sso_connections` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`enabled` integer NOT NULL,
	`idp_entity_id` text,
	`saml` text,
	`certs` text NOT NULL,
	`oidc` text,
	`provider` text,
	`attributes` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_sso_connections_idp` ON `auth_sso_connections` (`scope_id`,`idp_entity_id`);--> statement-breakpoint
CREATE TABLE `auth_sso_domains` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`connection_id` text NOT NULL,
	`domain` text NOT NULL,
	`nonce` text NOT NULL,
	`verified_at` integer,
	`absent_at` integer,
	`checked_at` integer,
	`recheck_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_sso_domains_domain` ON `auth_sso_domains` (`scope_id`,`domain`);--> statement-breakpoint
CREATE INDEX `auth_sso_domains_connection` ON `auth_sso_domains` (`scope_id`,`connection_id`,`id`);--> statement-breakpoint
CREATE INDEX `auth_sso_domains_recheck` ON `auth_sso_domains` (`recheck_at`,`id`) WHERE verified_at is not null;--> statement-breakpoint
CREATE TABLE `auth_saml_seen` (
	`scope_id` integer NOT NULL,
	`connection_id` text NOT NULL,
	`assertion_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `connection_id`, `assertion_id`)
);
--> statement-breakpoint
CREATE INDEX `auth_saml_seen_expiry` ON `auth_saml_seen` (`expires_at`);--> statement-breakpoint
ALTER TABLE `auth_users` ADD `deactivated_by` text;--> statement-breakpoint
CREATE INDEX `auth_identities_connection` ON `auth_identities` (`scope_id`,`connection_id`,`id`) WHERE connection_id is not null;