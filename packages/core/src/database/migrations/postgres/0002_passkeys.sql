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
CREATE UNIQUE INDEX "auth_passkeys_credential" ON "auth_passkeys" USING btree ("scope_id","credential_id");--> statement-breakpoint
CREATE INDEX "auth_passkeys_account" ON "auth_passkeys" USING btree ("scope_id","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_passkey_handles_handle" ON "auth_passkey_handles" USING btree ("scope_id","handle");