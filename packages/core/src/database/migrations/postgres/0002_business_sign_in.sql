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
ALTER TABLE "auth_users" ADD COLUMN "deactivated_by" uuid;--> statement-breakpoint
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
CREATE INDEX "auth_saml_seen_expiry" ON "auth_saml_seen" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_identities_connection" ON "auth_identities" USING btree ("scope_id","connection_id","id") WHERE connection_id is not null;