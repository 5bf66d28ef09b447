CREATE TABLE "auth_users" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"user_id" text NOT NULL,
	"external_id" text,
	"email" text,
	"email_norm" text,
	"email_verified_at" timestamp (3) with time zone,
	"phone" text,
	"name" text,
	"locale" text,
	"timezone" text,
	"metadata" jsonb NOT NULL,
	"is_anonymous" boolean NOT NULL,
	"usable_at" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"deactivated_by" uuid,
	"mfa_enabled_at" timestamp (3) with time zone,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"last_sign_in_at" timestamp (3) with time zone,
	"version" integer NOT NULL,
	CONSTRAINT "auth_users_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_passwords" (
	"scope_id" integer NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"hash_config_id" text,
	"code_challenge" text,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_passwords_scope_id_account_id_pk" PRIMARY KEY("scope_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "auth_factors" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"type" text NOT NULL,
	"secret" text,
	"last_step" integer,
	"tries" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "auth_factors_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_recovery_codes" (
	"scope_id" integer NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "auth_recovery_codes_scope_id_account_id_hash_pk" PRIMARY KEY("scope_id","account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "auth_mfa_state" (
	"scope_id" integer NOT NULL,
	"account_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"wrong_in_row" integer NOT NULL,
	"wrong_total" integer NOT NULL,
	"next_allowed_at" timestamp (3) with time zone,
	"blocked_at" timestamp (3) with time zone,
	"noticed_at" timestamp (3) with time zone,
	"notices_in_hour" integer NOT NULL,
	CONSTRAINT "auth_mfa_state_scope_id_account_id_pk" PRIMARY KEY("scope_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "auth_mfa_challenges" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text,
	"codes_used" integer NOT NULL,
	"first_wrong_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	"pending" jsonb NOT NULL,
	CONSTRAINT "auth_mfa_challenges_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_passkeys" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"alg" integer NOT NULL,
	"counter" bigint NOT NULL,
	"transports" jsonb NOT NULL,
	"is_backup_eligible" boolean,
	"is_backed_up" boolean NOT NULL,
	"aaguid" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"version" integer NOT NULL,
	CONSTRAINT "auth_passkeys_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_passkey_handles" (
	"scope_id" integer NOT NULL,
	"account_id" uuid NOT NULL,
	"handle" text NOT NULL,
	CONSTRAINT "auth_passkey_handles_scope_id_account_id_pk" PRIMARY KEY("scope_id","account_id")
);
--> statement-breakpoint
CREATE TABLE "auth_sessions" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"aal" text NOT NULL,
	"amr" jsonb NOT NULL,
	"auth_time" timestamp (3) with time zone NOT NULL,
	"ip_net" text,
	"user_agent" text,
	"device_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	"absolute_expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revoke_reason" text,
	"actor" text,
	CONSTRAINT "auth_sessions_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_refresh_tokens" (
	"scope_id" integer NOT NULL,
	"hash" text NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"parent_id" uuid,
	"state" text NOT NULL,
	"used_at" timestamp (3) with time zone,
	"siblings" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_refresh_tokens_scope_id_hash_pk" PRIMARY KEY("scope_id","hash")
);
--> statement-breakpoint
CREATE TABLE "auth_one_time" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"hash" text,
	"code_hash" text,
	"account_id" uuid,
	"email_norm" text,
	"code_challenge" text,
	"payload" text,
	"tries" integer NOT NULL,
	"max_tries" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	CONSTRAINT "auth_one_time_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_identities" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"connection_id" uuid,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"email_verified" boolean NOT NULL,
	"raw" jsonb NOT NULL,
	"linked_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_identities_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_signing_keys" (
	"scope_id" integer NOT NULL,
	"kid" text NOT NULL,
	"alg" text NOT NULL,
	"state" text NOT NULL,
	"public_jwk" jsonb NOT NULL,
	"sealed" text NOT NULL,
	"activate_at" timestamp (3) with time zone NOT NULL,
	"retire_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_signing_keys_scope_id_kid_pk" PRIMARY KEY("scope_id","kid")
);
--> statement-breakpoint
CREATE TABLE "auth_social_providers" (
	"scope_id" integer NOT NULL,
	"provider" text NOT NULL,
	"enabled" boolean NOT NULL,
	"client_id" text NOT NULL,
	"sealed" text,
	"scopes" jsonb NOT NULL,
	"extra" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_social_providers_scope_id_provider_pk" PRIMARY KEY("scope_id","provider")
);
--> statement-breakpoint
CREATE TABLE "auth_settings" (
	"scope_id" integer NOT NULL,
	"settings" jsonb NOT NULL,
	"captcha_sealed" text,
	"version" integer NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_settings_scope_id_pk" PRIMARY KEY("scope_id")
);
--> statement-breakpoint
CREATE TABLE "auth_jwt_templates" (
	"scope_id" integer NOT NULL,
	"template" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_jwt_templates_scope_id_pk" PRIMARY KEY("scope_id")
);
--> statement-breakpoint
CREATE TABLE "auth_mail_counts" (
	"scope_id" integer NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"part" integer NOT NULL,
	"planned" integer NOT NULL,
	CONSTRAINT "auth_mail_counts_scope_id_starts_at_part_pk" PRIMARY KEY("scope_id","starts_at","part")
);
--> statement-breakpoint
CREATE TABLE "auth_mail_budget" (
	"scope_id" integer NOT NULL,
	"mailbox" text NOT NULL,
	"sent_at" jsonb NOT NULL,
	"version" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_mail_budget_scope_id_mailbox_pk" PRIMARY KEY("scope_id","mailbox")
);
--> statement-breakpoint
CREATE TABLE "auth_audit" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text,
	"result" text NOT NULL,
	"ip_net" text,
	"detail" jsonb NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_audit_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_hash_configs" (
	"scope_id" integer NOT NULL,
	"id" text NOT NULL,
	"stand_in" text NOT NULL,
	"sealed" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_hash_configs_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_scim_directories" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"connection_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_scim_directories_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_scim_tokens" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"directory_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "auth_scim_tokens_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_scim_users" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"directory_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"external_id" text,
	"user_name" text NOT NULL,
	"user_name_norm" text NOT NULL,
	"display_name_norm" text,
	"active" boolean NOT NULL,
	"emails" jsonb NOT NULL,
	"document" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "auth_scim_users_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_scim_groups" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"directory_id" uuid NOT NULL,
	"external_id" text,
	"display_name" text NOT NULL,
	"display_name_norm" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "auth_scim_groups_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_scim_members" (
	"scope_id" integer NOT NULL,
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "auth_scim_members_scope_id_group_id_user_id_pk" PRIMARY KEY("scope_id","group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "auth_sso_connections" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"enabled" boolean NOT NULL,
	"idp_entity_id" text,
	"saml" jsonb,
	"certs" jsonb NOT NULL,
	"oidc" jsonb,
	"provider" text,
	"attributes" jsonb NOT NULL,
	"sealed" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "auth_sso_connections_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_sso_domains" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"nonce" text NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"absent_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"recheck_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_sso_domains_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "auth_saml_seen" (
	"scope_id" integer NOT NULL,
	"connection_id" uuid NOT NULL,
	"assertion_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_saml_seen_scope_id_connection_id_assertion_id_pk" PRIMARY KEY("scope_id","connection_id","assertion_id")
);
--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "account_email" text;--> statement-breakpoint
ALTER TABLE "profiles" ADD COLUMN "account_phone" text;--> statement-breakpoint
ALTER TABLE "sends" ADD COLUMN "sealed" text;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_users_user" ON "auth_users" USING btree ("scope_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_users_email" ON "auth_users" USING btree ("scope_id","email_norm");--> statement-breakpoint
CREATE INDEX "auth_users_guests" ON "auth_users" USING btree ("is_anonymous","id");--> statement-breakpoint
CREATE INDEX "auth_users_unproven" ON "auth_users" USING btree ("id") WHERE usable_at is null and last_sign_in_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_users_external" ON "auth_users" USING btree ("scope_id","external_id");--> statement-breakpoint
CREATE INDEX "auth_passwords_config" ON "auth_passwords" USING btree ("scope_id","hash_config_id") WHERE hash_config_id is not null;--> statement-breakpoint
CREATE INDEX "auth_factors_account" ON "auth_factors" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_mfa_challenges_account" ON "auth_mfa_challenges" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_mfa_challenges_expiry" ON "auth_mfa_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_passkeys_credential" ON "auth_passkeys" USING btree ("scope_id","credential_id");--> statement-breakpoint
CREATE INDEX "auth_passkeys_account" ON "auth_passkeys" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_passkey_handles_handle" ON "auth_passkey_handles" USING btree ("scope_id","handle");--> statement-breakpoint
CREATE INDEX "auth_sessions_account" ON "auth_sessions" USING btree ("scope_id","account_id","id");--> statement-breakpoint
CREATE INDEX "auth_sessions_expiry" ON "auth_sessions" USING btree ("idle_expires_at","scope_id","id");--> statement-breakpoint
CREATE INDEX "auth_refresh_tokens_session" ON "auth_refresh_tokens" USING btree ("scope_id","session_id","parent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_one_time_hash" ON "auth_one_time" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "auth_one_time_mailbox" ON "auth_one_time" USING btree ("scope_id","kind","email_norm");--> statement-breakpoint
CREATE INDEX "auth_one_time_account" ON "auth_one_time" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_one_time_expiry" ON "auth_one_time" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_identities_subject" ON "auth_identities" USING btree ("scope_id","provider","issuer","subject");--> statement-breakpoint
CREATE INDEX "auth_identities_account" ON "auth_identities" USING btree ("scope_id","account_id","id");--> statement-breakpoint
CREATE INDEX "auth_identities_connection" ON "auth_identities" USING btree ("scope_id","connection_id","id") WHERE connection_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_signing_keys_state" ON "auth_signing_keys" USING btree ("scope_id","state") WHERE state in ('active', 'next');--> statement-breakpoint
CREATE INDEX "auth_mail_counts_start" ON "auth_mail_counts" USING btree ("starts_at");--> statement-breakpoint
CREATE INDEX "auth_mail_budget_expiry" ON "auth_mail_budget" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_audit_target" ON "auth_audit" USING btree ("scope_id","target","id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_scim_tokens_hash" ON "auth_scim_tokens" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "auth_scim_tokens_directory" ON "auth_scim_tokens" USING btree ("scope_id","directory_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_scim_users_name" ON "auth_scim_users" USING btree ("scope_id","directory_id","user_name_norm");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_scim_users_account" ON "auth_scim_users" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_scim_users_page" ON "auth_scim_users" USING btree ("scope_id","directory_id","id");--> statement-breakpoint
CREATE INDEX "auth_scim_users_external" ON "auth_scim_users" USING btree ("scope_id","directory_id","external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_scim_groups_name" ON "auth_scim_groups" USING btree ("scope_id","directory_id","display_name_norm","id");--> statement-breakpoint
CREATE INDEX "auth_scim_groups_page" ON "auth_scim_groups" USING btree ("scope_id","directory_id","id");--> statement-breakpoint
CREATE INDEX "auth_scim_members_user" ON "auth_scim_members" USING btree ("scope_id","user_id","group_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_sso_connections_idp" ON "auth_sso_connections" USING btree ("scope_id","idp_entity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_sso_domains_domain" ON "auth_sso_domains" USING btree ("scope_id","domain");--> statement-breakpoint
CREATE INDEX "auth_sso_domains_connection" ON "auth_sso_domains" USING btree ("scope_id","connection_id","id");--> statement-breakpoint
CREATE INDEX "auth_sso_domains_recheck" ON "auth_sso_domains" USING btree ("recheck_at","id") WHERE verified_at is not null;--> statement-breakpoint
CREATE INDEX "auth_saml_seen_expiry" ON "auth_saml_seen" USING btree ("expires_at");