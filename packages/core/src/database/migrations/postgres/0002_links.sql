CREATE TABLE "auth_mail_counts" (
	"scope_id" integer NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"part" integer NOT NULL,
	"planned" integer NOT NULL,
	CONSTRAINT "auth_mail_counts_scope_id_starts_at_part_pk" PRIMARY KEY("scope_id","starts_at","part")
);
--> statement-breakpoint
CREATE INDEX "auth_mail_counts_start" ON "auth_mail_counts" USING btree ("starts_at");--> statement-breakpoint
CREATE INDEX "auth_users_guests" ON "auth_users" USING btree ("is_anonymous","id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_signing_keys_state" ON "auth_signing_keys" USING btree ("scope_id","state") WHERE state in ('active', 'next');