CREATE TABLE "auth_jwt_templates" (
	"scope_id" integer NOT NULL,
	"template" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_jwt_templates_scope_id_pk" PRIMARY KEY("scope_id")
);
--> statement-breakpoint
ALTER TABLE "auth_sessions" ADD COLUMN "actor" text;--> statement-breakpoint
ALTER TABLE "auth_settings" ADD COLUMN "captcha_sealed" text;