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
CREATE INDEX `auth_identities_connection` ON `auth_identities` (`scope_id`,`connection_id`,`id`) WHERE connection_id is not null;