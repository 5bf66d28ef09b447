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
ALTER TABLE "auth_users" ADD COLUMN "mfa_enabled_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "auth_factors_account" ON "auth_factors" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_mfa_challenges_account" ON "auth_mfa_challenges" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE INDEX "auth_mfa_challenges_expiry" ON "auth_mfa_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_signing_keys_state" ON "auth_signing_keys" USING btree ("scope_id","state") WHERE state in ('active', 'next');