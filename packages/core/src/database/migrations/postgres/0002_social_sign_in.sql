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
CREATE UNIQUE INDEX "auth_identities_subject" ON "auth_identities" USING btree ("scope_id","provider","issuer","subject");--> statement-breakpoint
CREATE INDEX "auth_identities_account" ON "auth_identities" USING btree ("scope_id","account_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_signing_keys_state" ON "auth_signing_keys" USING btree ("scope_id","state") WHERE state in ('active', 'next');