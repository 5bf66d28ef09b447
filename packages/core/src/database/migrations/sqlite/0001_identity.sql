CREATE TABLE `auth_users` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`external_id` text,
	`email` text,
	`email_norm` text,
	`email_verified_at` integer,
	`phone` text,
	`name` text,
	`locale` text,
	`timezone` text,
	`metadata` text NOT NULL,
	`is_anonymous` integer NOT NULL,
	`usable_at` integer,
	`disabled_at` integer,
	`deactivated_by` text,
	`mfa_enabled_at` integer,
	`source` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_sign_in_at` integer,
	`version` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_users_user` ON `auth_users` (`scope_id`,`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `auth_users_email` ON `auth_users` (`scope_id`,`email_norm`);--> statement-breakpoint
CREATE INDEX `auth_users_guests` ON `auth_users` (`is_anonymous`,`id`);--> statement-breakpoint
CREATE INDEX `auth_users_unproven` ON `auth_users` (`id`) WHERE usable_at is null and last_sign_in_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `auth_users_external` ON `auth_users` (`scope_id`,`external_id`);--> statement-breakpoint
CREATE TABLE `auth_passwords` (
	`scope_id` integer NOT NULL,
	`account_id` text NOT NULL,
	`hash` text NOT NULL,
	`hash_config_id` text,
	`code_challenge` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `account_id`)
);
--> statement-breakpoint
CREATE INDEX `auth_passwords_config` ON `auth_passwords` (`scope_id`,`hash_config_id`) WHERE hash_config_id is not null;--> statement-breakpoint
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
CREATE UNIQUE INDEX `auth_passkey_handles_handle` ON `auth_passkey_handles` (`scope_id`,`handle`);--> statement-breakpoint
CREATE TABLE `auth_sessions` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`aal` text NOT NULL,
	`amr` text NOT NULL,
	`auth_time` integer NOT NULL,
	`ip_net` text,
	`user_agent` text,
	`device_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`idle_expires_at` integer NOT NULL,
	`absolute_expires_at` integer NOT NULL,
	`revoked_at` integer,
	`revoke_reason` text,
	`actor` text,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `auth_sessions_account` ON `auth_sessions` (`scope_id`,`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `auth_sessions_expiry` ON `auth_sessions` (`idle_expires_at`,`scope_id`,`id`);--> statement-breakpoint
CREATE TABLE `auth_refresh_tokens` (
	`scope_id` integer NOT NULL,
	`hash` text NOT NULL,
	`id` text NOT NULL,
	`session_id` text NOT NULL,
	`parent_id` text,
	`state` text NOT NULL,
	`used_at` integer,
	`siblings` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `hash`)
);
--> statement-breakpoint
CREATE INDEX `auth_refresh_tokens_session` ON `auth_refresh_tokens` (`scope_id`,`session_id`,`parent_id`);--> statement-breakpoint
CREATE TABLE `auth_one_time` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`hash` text,
	`code_hash` text,
	`account_id` text,
	`email_norm` text,
	`code_challenge` text,
	`payload` text,
	`tries` integer NOT NULL,
	`max_tries` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_one_time_hash` ON `auth_one_time` (`hash`);--> statement-breakpoint
CREATE INDEX `auth_one_time_mailbox` ON `auth_one_time` (`scope_id`,`kind`,`email_norm`);--> statement-breakpoint
CREATE INDEX `auth_one_time_account` ON `auth_one_time` (`scope_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `auth_one_time_expiry` ON `auth_one_time` (`expires_at`);--> statement-breakpoint
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
CREATE INDEX `auth_identities_connection` ON `auth_identities` (`scope_id`,`connection_id`,`id`) WHERE connection_id is not null;--> statement-breakpoint
CREATE TABLE `auth_signing_keys` (
	`scope_id` integer NOT NULL,
	`kid` text NOT NULL,
	`alg` text NOT NULL,
	`state` text NOT NULL,
	`public_jwk` text NOT NULL,
	`sealed` text NOT NULL,
	`activate_at` integer NOT NULL,
	`retire_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `kid`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_signing_keys_state` ON `auth_signing_keys` (`scope_id`,`state`) WHERE state in ('active', 'next');--> statement-breakpoint
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
CREATE TABLE `auth_settings` (
	`scope_id` integer PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`captcha_sealed` text,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auth_jwt_templates` (
	`scope_id` integer PRIMARY KEY NOT NULL,
	`template` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auth_mail_counts` (
	`scope_id` integer NOT NULL,
	`starts_at` integer NOT NULL,
	`part` integer NOT NULL,
	`planned` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `starts_at`, `part`)
);
--> statement-breakpoint
CREATE INDEX `auth_mail_counts_start` ON `auth_mail_counts` (`starts_at`);--> statement-breakpoint
CREATE TABLE `auth_mail_budget` (
	`scope_id` integer NOT NULL,
	`mailbox` text NOT NULL,
	`sent_at` text NOT NULL,
	`version` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `mailbox`)
);
--> statement-breakpoint
CREATE INDEX `auth_mail_budget_expiry` ON `auth_mail_budget` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_audit` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`target` text,
	`result` text NOT NULL,
	`ip_net` text,
	`detail` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `auth_audit_target` ON `auth_audit` (`scope_id`,`target`,`id`);--> statement-breakpoint
CREATE TABLE `auth_hash_configs` (
	`scope_id` integer NOT NULL,
	`id` text NOT NULL,
	`stand_in` text NOT NULL,
	`sealed` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`scope_id`, `id`)
);
--> statement-breakpoint
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
ALTER TABLE `profiles` ADD `account_email` text;--> statement-breakpoint
ALTER TABLE `profiles` ADD `account_phone` text;--> statement-breakpoint
ALTER TABLE `sends` ADD `sealed` text;