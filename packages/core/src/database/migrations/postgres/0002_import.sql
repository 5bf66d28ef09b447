CREATE TABLE "auth_hash_configs" (
	"scope_id" integer NOT NULL,
	"id" text NOT NULL,
	"stand_in" text NOT NULL,
	"sealed" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_hash_configs_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
ALTER TABLE "auth_passwords" ADD COLUMN "hash_config_id" text;--> statement-breakpoint
CREATE INDEX "auth_passwords_config" ON "auth_passwords" USING btree ("scope_id","hash_config_id") WHERE hash_config_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "auth_signing_keys_state" ON "auth_signing_keys" USING btree ("scope_id","state") WHERE state in ('active', 'next');