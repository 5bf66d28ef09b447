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
CREATE UNIQUE INDEX "auth_sso_connections_idp" ON "auth_sso_connections" USING btree ("scope_id","idp_entity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_sso_domains_domain" ON "auth_sso_domains" USING btree ("scope_id","domain");--> statement-breakpoint
CREATE INDEX "auth_sso_domains_connection" ON "auth_sso_domains" USING btree ("scope_id","connection_id","id");--> statement-breakpoint
CREATE INDEX "auth_sso_domains_recheck" ON "auth_sso_domains" USING btree ("recheck_at","id") WHERE verified_at is not null;--> statement-breakpoint
CREATE INDEX "auth_saml_seen_expiry" ON "auth_saml_seen" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_identities_connection" ON "auth_identities" USING btree ("scope_id","connection_id","id") WHERE connection_id is not null;