CREATE TABLE "orgs" (
	"org_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"plan" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"project_key" serial PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scopes" (
	"id" serial PRIMARY KEY NOT NULL,
	"org_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment" text NOT NULL,
	"project_key" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"last_four" text NOT NULL,
	"kind" text NOT NULL,
	"environment" text NOT NULL,
	"name" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "api_key_grants" (
	"org_id" text NOT NULL,
	"project_id" text NOT NULL,
	"key_id" text NOT NULL,
	CONSTRAINT "api_key_grants_org_id_project_id_key_id_pk" PRIMARY KEY("org_id","project_id","key_id")
);
--> statement-breakpoint
CREATE TABLE "data_keys" (
	"org_id" text NOT NULL,
	"kid" text NOT NULL,
	"wrapped" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "data_keys_org_id_kid_pk" PRIMARY KEY("org_id","kid")
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"org_id" text NOT NULL,
	"project_id" text NOT NULL,
	"environment" text NOT NULL,
	"name" text NOT NULL,
	"sealed" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "secrets_org_id_project_id_environment_name_pk" PRIMARY KEY("org_id","project_id","environment","name")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"person" text NOT NULL,
	"person_key" bigint NOT NULL,
	"anonymous_id" text,
	"module" text NOT NULL,
	"event_type" text NOT NULL,
	"properties" jsonb NOT NULL,
	"traits" jsonb,
	"context" jsonb,
	"session_id" text,
	"message_id" text,
	"source" text NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_scope_id_position_pk" PRIMARY KEY("scope_id","position")
);
--> statement-breakpoint
CREATE TABLE "events_by_person" (
	"person_key" bigint NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "events_by_person_person_key_position_pk" PRIMARY KEY("person_key","position")
);
--> statement-breakpoint
CREATE TABLE "events_by_person_cursor" (
	"id" integer NOT NULL,
	"position" bigint NOT NULL,
	"pass_end" bigint NOT NULL,
	"next_person_key" bigint NOT NULL,
	CONSTRAINT "events_by_person_cursor_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "event_cursors" (
	"name" text PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"pending_position" bigint,
	"open_transactions" jsonb
);
--> statement-breakpoint
CREATE TABLE "event_message_ids" (
	"scope_id" integer NOT NULL,
	"message_id" text NOT NULL,
	"event_id" uuid NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "event_message_ids_scope_id_message_id_pk" PRIMARY KEY("scope_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "raised_events" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"person" text NOT NULL,
	"module" text NOT NULL,
	"event_type" text NOT NULL,
	"properties" jsonb NOT NULL,
	"depth" integer NOT NULL,
	"run_budget" integer NOT NULL,
	"budget_run_id" uuid,
	"raised_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "raised_events_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	"traits" jsonb NOT NULL,
	"version" integer NOT NULL,
	"is_truncated" boolean NOT NULL,
	"email" text,
	"phone" text,
	"locale" text,
	"timezone" text,
	"locale_override" text,
	"timezone_override" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "profiles_scope_id_person_pk" PRIMARY KEY("scope_id","person")
);
--> statement-breakpoint
CREATE TABLE "aliases" (
	"scope_id" integer NOT NULL,
	"anonymous_id" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"move_due_at" timestamp (3) with time zone,
	CONSTRAINT "aliases_scope_id_anonymous_id_pk" PRIMARY KEY("scope_id","anonymous_id")
);
--> statement-breakpoint
CREATE TABLE "audiences" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"kind" text NOT NULL,
	"predicate" jsonb,
	"version" integer NOT NULL,
	"stage" text,
	"cursor" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "audiences_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "audience_members" (
	"scope_id" integer NOT NULL,
	"audience_id" uuid NOT NULL,
	"person" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "audience_members_scope_id_audience_id_person_pk" PRIMARY KEY("scope_id","audience_id","person")
);
--> statement-breakpoint
CREATE TABLE "audience_checks" (
	"scope_id" integer NOT NULL,
	"id" text NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "audience_checks_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "person_events" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	"event_type" text NOT NULL,
	"total" integer NOT NULL,
	"recent" jsonb NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "person_events_scope_id_person_event_type_pk" PRIMARY KEY("scope_id","person","event_type")
);
--> statement-breakpoint
CREATE TABLE "counted_events" (
	"scope_id" integer NOT NULL,
	"event_type" text NOT NULL,
	"recent_limit" integer NOT NULL,
	"counted_since" timestamp (3) with time zone NOT NULL,
	"cursor" text,
	"is_backfilled" boolean NOT NULL,
	"version" integer NOT NULL,
	CONSTRAINT "counted_events_scope_id_event_type_pk" PRIMARY KEY("scope_id","event_type")
);
--> statement-breakpoint
CREATE TABLE "workflows" (
	"project_key" integer NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"trigger" jsonb NOT NULL,
	"steps" jsonb NOT NULL,
	"is_active" boolean NOT NULL,
	"version" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "workflows_project_key_id_pk" PRIMARY KEY("project_key","id")
);
--> statement-breakpoint
CREATE TABLE "workflow_versions" (
	"project_key" integer NOT NULL,
	"workflow_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"name" text NOT NULL,
	"trigger" jsonb NOT NULL,
	"steps" jsonb NOT NULL,
	"is_active" boolean NOT NULL,
	"is_deleted" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "workflow_versions_project_key_workflow_id_version_pk" PRIMARY KEY("project_key","workflow_id","version")
);
--> statement-breakpoint
CREATE TABLE "awaited_events" (
	"project_key" integer NOT NULL,
	"event_type" text NOT NULL,
	CONSTRAINT "awaited_events_project_key_event_type_pk" PRIMARY KEY("project_key","event_type")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"workflow_id" uuid NOT NULL,
	"workflow_version" integer NOT NULL,
	"workflow_name" text NOT NULL,
	"person" text NOT NULL,
	"trigger_event_id" uuid NOT NULL,
	"trigger_event" jsonb NOT NULL,
	"status" text NOT NULL,
	"outcome" text,
	"depth" integer NOT NULL,
	"run_budget" integer NOT NULL,
	"budget_run_id" uuid,
	"exit_reason" text,
	"cursor" text NOT NULL,
	"attempt" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"error" text,
	"context" jsonb NOT NULL,
	"due_at" timestamp (3) with time zone,
	"waiting_since" timestamp (3) with time zone,
	"woken_by" jsonb,
	"awaits_event" text,
	"awaits_filters" jsonb,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "runs_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "run_budgets" (
	"scope_id" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"used" integer NOT NULL,
	"refused" integer NOT NULL,
	"max_runs" integer NOT NULL,
	CONSTRAINT "run_budgets_scope_id_run_id_pk" PRIMARY KEY("scope_id","run_id")
);
--> statement-breakpoint
CREATE TABLE "run_steps" (
	"scope_id" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"path" text NOT NULL,
	"attempt" integer NOT NULL,
	"type" text NOT NULL,
	"outcome" text NOT NULL,
	"reason" text,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL,
	"send_id" uuid,
	"http_status" integer,
	"output" jsonb,
	"usage" jsonb,
	CONSTRAINT "run_steps_scope_id_run_id_path_attempt_pk" PRIMARY KEY("scope_id","run_id","path","attempt")
);
--> statement-breakpoint
CREATE TABLE "push_tokens" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"token_key" text NOT NULL,
	"person" text,
	"platform" text NOT NULL,
	"token" text NOT NULL,
	"locale" text,
	"timezone" text,
	"app_version" text,
	"apns_environment" text,
	"is_active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"registered_at" timestamp (3) with time zone NOT NULL,
	"last_error" text,
	CONSTRAINT "push_tokens_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "token_owners" (
	"token_key" text PRIMARY KEY NOT NULL,
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "geofences" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"lat" double precision NOT NULL,
	"lng" double precision NOT NULL,
	"radius_meters" double precision NOT NULL,
	"transitions" jsonb NOT NULL,
	"dwell_seconds" integer,
	"data" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "geofences_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "geofence_crossings" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	"geofence_id" uuid NOT NULL,
	"transition" text NOT NULL,
	"last_counted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "geofence_crossings_scope_id_person_geofence_id_transition_pk" PRIMARY KEY("scope_id","person","geofence_id","transition")
);
--> statement-breakpoint
CREATE TABLE "live_activities" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text NOT NULL,
	"device" text NOT NULL,
	"token" text NOT NULL,
	"person" text NOT NULL,
	"activity_type" text NOT NULL,
	"apns_environment" text,
	"status" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_updated_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"stale_at" timestamp (3) with time zone,
	"updates" integer NOT NULL,
	"last_timestamp" bigint NOT NULL,
	CONSTRAINT "live_activities_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "live_activity_start_tokens" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"token" text NOT NULL,
	"activity_type" text NOT NULL,
	"person" text NOT NULL,
	"apns_environment" text,
	"is_active" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_activity_start_tokens_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "live_activity_pending_pushes" (
	"scope_id" integer NOT NULL,
	"external_id" text NOT NULL,
	"push" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_activity_pending_pushes_scope_id_external_id_pk" PRIMARY KEY("scope_id","external_id")
);
--> statement-breakpoint
CREATE TABLE "live_activity_starts" (
	"scope_id" integer NOT NULL,
	"external_id" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "live_activity_starts_scope_id_external_id_pk" PRIMARY KEY("scope_id","external_id")
);
--> statement-breakpoint
CREATE TABLE "sends" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"channel" text NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"class" text NOT NULL,
	"title" text,
	"workflow_run_id" uuid,
	"step_path" text,
	"template_id" uuid,
	"template_version" integer,
	"content" jsonb NOT NULL,
	"variables" jsonb NOT NULL,
	"recipients" jsonb NOT NULL,
	"expanded_recipients" integer NOT NULL,
	"expanded_address" text,
	"audience_id" uuid,
	"expanded_person" text,
	"token_count" integer NOT NULL,
	"targeted" integer NOT NULL,
	"sent" integer NOT NULL,
	"failed" integer NOT NULL,
	"bounced" integer NOT NULL,
	"suppressed" integer NOT NULL,
	"deferred" integer NOT NULL,
	"delivered" integer NOT NULL,
	"opened" integer NOT NULL,
	"unique_opened" integer NOT NULL,
	"machine_opened" integer NOT NULL,
	"clicked" integer NOT NULL,
	"unique_clicked" integer NOT NULL,
	"category" text,
	"ab_test_id" uuid,
	"has_mail_permit" boolean NOT NULL,
	"tags" jsonb NOT NULL,
	"error" text,
	"error_code" text,
	"scheduled_for" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"cancelled_at" timestamp (3) with time zone,
	"reported_counts" text,
	"reported_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "sends_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"send_id" uuid NOT NULL,
	"channel" text NOT NULL,
	"person" text,
	"address" text,
	"address_name" text,
	"token_id" uuid,
	"facts" jsonb NOT NULL,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"error_code" text,
	"error" text,
	"provider" text,
	"provider_id" text,
	"attempt" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deferred_at" timestamp (3) with time zone,
	"deferred_until" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"delivered_at" timestamp (3) with time zone,
	"opened_at" timestamp (3) with time zone,
	"clicked_at" timestamp (3) with time zone,
	"last_opened_at" timestamp (3) with time zone,
	"last_clicked_at" timestamp (3) with time zone,
	"click_action" text,
	"machine_reason" text,
	"machine_opened_at" timestamp (3) with time zone,
	"machine_clicked_at" timestamp (3) with time zone,
	"complained_at" timestamp (3) with time zone,
	"unsubscribed_at" timestamp (3) with time zone,
	"ab_test_id" uuid,
	"variant" text,
	"ab_test_unit" text,
	"converted_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"priority" integer NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "messages_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "variant_counts" (
	"scope_id" integer NOT NULL,
	"ab_test_id" uuid NOT NULL,
	"variant" text NOT NULL,
	"opened" integer NOT NULL,
	"clicked" integer NOT NULL,
	CONSTRAINT "variant_counts_scope_id_ab_test_id_variant_pk" PRIMARY KEY("scope_id","ab_test_id","variant")
);
--> statement-breakpoint
CREATE TABLE "outbox_messages" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"channel" text NOT NULL,
	"send_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"user_id" text,
	"address" text NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "outbox_messages_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "ab_tests" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"channel" text NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"variants" jsonb NOT NULL,
	"metric" jsonb NOT NULL,
	"event_type" text,
	"winner_key" text,
	"version" integer NOT NULL,
	"assigned_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ab_tests_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"scope_id" integer NOT NULL,
	"channel" text NOT NULL,
	"provider" text NOT NULL,
	"version" integer NOT NULL,
	"sealed" text,
	"last_four" text,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"proven_at" timestamp (3) with time zone,
	"circuit_until" timestamp (3) with time zone,
	"circuit_code" text,
	"shared_token" text,
	"shared_token_issued_at" bigint,
	CONSTRAINT "credentials_scope_id_channel_provider_pk" PRIMARY KEY("scope_id","channel","provider")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"scope_id" integer NOT NULL,
	"name" text NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "settings_scope_id_name_pk" PRIMARY KEY("scope_id","name")
);
--> statement-breakpoint
CREATE TABLE "callbacks" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"channel" text NOT NULL,
	"provider" text NOT NULL,
	"sealed" text NOT NULL,
	"bytes" integer NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"applied_at" timestamp (3) with time zone,
	"events" integer NOT NULL,
	"applied" integer NOT NULL,
	"duplicates" integer NOT NULL,
	"unknown" integer NOT NULL,
	CONSTRAINT "callbacks_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "callback_secrets" (
	"scope_id" integer NOT NULL,
	"channel" text NOT NULL,
	"provider" text NOT NULL,
	"sealed" text NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "callback_secrets_scope_id_channel_provider_pk" PRIMARY KEY("scope_id","channel","provider")
);
--> statement-breakpoint
CREATE TABLE "callback_events" (
	"scope_id" integer NOT NULL,
	"provider" text NOT NULL,
	"event_id" text NOT NULL,
	"callback_id" uuid NOT NULL,
	"person" text,
	"address" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "callback_events_scope_id_provider_event_id_pk" PRIMARY KEY("scope_id","provider","event_id")
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"scope_id" integer NOT NULL,
	"channel" text NOT NULL,
	"address_key" text NOT NULL,
	"reason" text NOT NULL,
	"sender" text NOT NULL,
	"id" uuid NOT NULL,
	"source" text NOT NULL,
	"message_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "suppressions_scope_id_channel_address_key_reason_sender_pk" PRIMARY KEY("scope_id","channel","address_key","reason","sender")
);
--> statement-breakpoint
CREATE TABLE "cap_entries" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	"rule" text NOT NULL,
	"send_id" uuid NOT NULL,
	"handovers" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "cap_entries_scope_id_person_rule_send_id_pk" PRIMARY KEY("scope_id","person","rule","send_id")
);
--> statement-breakpoint
CREATE TABLE "cap_locks" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	CONSTRAINT "cap_locks_scope_id_person_pk" PRIMARY KEY("scope_id","person")
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"project_key" integer NOT NULL,
	"id" uuid NOT NULL,
	"channel" text NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"content" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "templates_project_key_id_pk" PRIMARY KEY("project_key","id")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"scope_id" integer NOT NULL,
	"person" text NOT NULL,
	"channel" text NOT NULL,
	"category" text NOT NULL,
	"is_subscribed" boolean NOT NULL,
	"source" text NOT NULL,
	"message_id" uuid,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_scope_id_person_channel_category_pk" PRIMARY KEY("scope_id","person","channel","category")
);
--> statement-breakpoint
CREATE TABLE "email_domains" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"domain" text NOT NULL,
	"nonce" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"recheck_at" timestamp (3) with time zone NOT NULL,
	"dkim_selector" text,
	"dkim_public_key" text,
	"dkim_sealed" text,
	"dkim_found" boolean,
	CONSTRAINT "email_domains_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"url" text NOT NULL,
	"events" jsonb NOT NULL,
	"description" text,
	"is_active" boolean NOT NULL,
	"is_pulled" boolean NOT NULL,
	"sealed" text NOT NULL,
	"version" integer NOT NULL,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhooks_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"event_type" text NOT NULL,
	"step" jsonb,
	"status" text NOT NULL,
	"reason" text,
	"trigger" text NOT NULL,
	"attempts" integer NOT NULL,
	"attempt_log" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "webhook_deliveries_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_bodies" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"person" text,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_bodies_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "mail_limits" (
	"org_id" text PRIMARY KEY NOT NULL,
	"is_probation" boolean NOT NULL,
	"tat_us" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "call_rates" (
	"org_id" text NOT NULL,
	"kind" text NOT NULL,
	"per_minute" integer NOT NULL,
	CONSTRAINT "call_rates_org_id_kind_pk" PRIMARY KEY("org_id","kind")
);
--> statement-breakpoint
CREATE TABLE "call_buckets" (
	"digest" text PRIMARY KEY NOT NULL,
	"tat_us" bigint NOT NULL,
	"unsynced" bigint NOT NULL,
	"requested" bigint NOT NULL,
	"period_us" bigint NOT NULL,
	"burst" bigint NOT NULL,
	"granted" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_hours" (
	"scope_id" integer NOT NULL,
	"hour" integer NOT NULL,
	"event_type" text NOT NULL,
	"module" text NOT NULL,
	"source" text NOT NULL,
	"quarter_0" integer NOT NULL,
	"quarter_1" integer NOT NULL,
	"quarter_2" integer NOT NULL,
	"quarter_3" integer NOT NULL,
	CONSTRAINT "event_hours_scope_id_hour_event_type_module_source_pk" PRIMARY KEY("scope_id","hour","event_type","module","source")
);
--> statement-breakpoint
CREATE TABLE "send_quarters" (
	"scope_id" integer NOT NULL,
	"quarter" integer NOT NULL,
	"channel" text NOT NULL,
	"template_id" text NOT NULL,
	"workflow_id" text NOT NULL,
	"targeted" integer NOT NULL,
	"sent" integer NOT NULL,
	"delivered" integer NOT NULL,
	"opened" integer NOT NULL,
	"clicked" integer NOT NULL,
	"bounced" integer NOT NULL,
	"failed" integer NOT NULL,
	"suppressed" integer NOT NULL,
	CONSTRAINT "send_quarters_scope_id_quarter_channel_template_id_workflow_id_pk" PRIMARY KEY("scope_id","quarter","channel","template_id","workflow_id")
);
--> statement-breakpoint
CREATE TABLE "active_hours" (
	"scope_id" integer NOT NULL,
	"hour" integer NOT NULL,
	"sample_level" integer NOT NULL,
	"sample" text NOT NULL,
	CONSTRAINT "active_hours_scope_id_hour_pk" PRIMARY KEY("scope_id","hour")
);
--> statement-breakpoint
CREATE TABLE "analytics_query_slots" (
	"org_id" text NOT NULL,
	"slot" integer NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "analytics_query_slots_org_id_slot_pk" PRIMARY KEY("org_id","slot")
);
--> statement-breakpoint
CREATE TABLE "event_usage" (
	"org_id" text NOT NULL,
	"month" text NOT NULL,
	"slot" integer NOT NULL,
	"events" bigint NOT NULL,
	"max_events" bigint NOT NULL,
	CONSTRAINT "event_usage_org_id_month_slot_pk" PRIMARY KEY("org_id","month","slot")
);
--> statement-breakpoint
CREATE TABLE "ai_settings" (
	"org_id" text PRIMARY KEY NOT NULL,
	"wire" text NOT NULL,
	"base_url" text NOT NULL,
	"sealed" text,
	"last_four" text,
	"models" jsonb NOT NULL,
	"prices" jsonb NOT NULL,
	"faulty_at" timestamp (3) with time zone,
	"faulty_code" text,
	"version" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ai_usage" (
	"org_id" text NOT NULL,
	"day" text NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "ai_usage_org_id_day_pk" PRIMARY KEY("org_id","day")
);
--> statement-breakpoint
CREATE TABLE "ai_calls" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"path" text NOT NULL,
	"attempt" integer NOT NULL,
	"tries" integer NOT NULL,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "ai_calls_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope_id" integer NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"holder" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"answer" text,
	CONSTRAINT "idempotency_keys_scope_id_route_key_pk" PRIMARY KEY("scope_id","route","key")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"scope_id" integer NOT NULL,
	"id" uuid NOT NULL,
	"user_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"fence" integer NOT NULL,
	CONSTRAINT "erasures_scope_id_id_pk" PRIMARY KEY("scope_id","id")
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"time_zone_data" text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "projects_name" ON "projects" USING btree ("org_id","project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scopes_name" ON "scopes" USING btree ("org_id","project_id","environment");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_key_grants_key" ON "api_key_grants" USING btree ("key_id");--> statement-breakpoint
CREATE UNIQUE INDEX "events_id" ON "events" USING btree ("scope_id","id");--> statement-breakpoint
CREATE INDEX "events_position" ON "events" USING btree ("position");--> statement-breakpoint
CREATE INDEX "events_person" ON "events" USING btree ("person_key","position");--> statement-breakpoint
CREATE INDEX "raised_events_due" ON "raised_events" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "profiles_phone" ON "profiles" USING btree ("scope_id","phone") WHERE phone is not null;--> statement-breakpoint
CREATE INDEX "aliases_user" ON "aliases" USING btree ("scope_id","user_id");--> statement-breakpoint
CREATE INDEX "aliases_move_due" ON "aliases" USING btree ("move_due_at") WHERE move_due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "audiences_name" ON "audiences" USING btree ("scope_id","name");--> statement-breakpoint
CREATE INDEX "audiences_due" ON "audiences" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "audience_members_person" ON "audience_members" USING btree ("scope_id","person","audience_id");--> statement-breakpoint
CREATE INDEX "audience_checks_due" ON "audience_checks" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "workflows_name" ON "workflows" USING btree ("project_key","name");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_trigger" ON "runs" USING btree ("scope_id","workflow_id","trigger_event_id","person");--> statement-breakpoint
CREATE INDEX "runs_person" ON "runs" USING btree ("scope_id","person","id");--> statement-breakpoint
CREATE INDEX "runs_awaiting" ON "runs" USING btree ("scope_id","person","awaits_event") WHERE awaits_event is not null;--> statement-breakpoint
CREATE INDEX "runs_due" ON "runs" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "push_tokens_token" ON "push_tokens" USING btree ("scope_id","token_key");--> statement-breakpoint
CREATE INDEX "push_tokens_person" ON "push_tokens" USING btree ("scope_id","person","id","is_active");--> statement-breakpoint
CREATE INDEX "geofence_crossings_counted" ON "geofence_crossings" USING btree ("last_counted_at");--> statement-breakpoint
CREATE UNIQUE INDEX "live_activities_device" ON "live_activities" USING btree ("scope_id","external_id","device");--> statement-breakpoint
CREATE INDEX "live_activities_person" ON "live_activities" USING btree ("scope_id","person");--> statement-breakpoint
CREATE INDEX "live_activities_updated" ON "live_activities" USING btree ("last_updated_at") WHERE status = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "live_activity_start_tokens_token" ON "live_activity_start_tokens" USING btree ("scope_id","token","activity_type");--> statement-breakpoint
CREATE INDEX "live_activity_start_tokens_person" ON "live_activity_start_tokens" USING btree ("scope_id","person");--> statement-breakpoint
CREATE INDEX "live_activity_pending_pushes_created" ON "live_activity_pending_pushes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "live_activity_starts_started" ON "live_activity_starts" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sends_step" ON "sends" USING btree ("scope_id","workflow_run_id","step_path") WHERE workflow_run_id is not null;--> statement-breakpoint
CREATE INDEX "sends_due" ON "sends" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "sends_unreported" ON "sends" USING btree ("scope_id","id") WHERE reported_at is null;--> statement-breakpoint
CREATE INDEX "sends_ended" ON "sends" USING btree ("scope_id","finished_at","id") WHERE channel = 'push' and targeted = 0 and status in ('cancelled', 'suppressed');--> statement-breakpoint
CREATE INDEX "sends_open" ON "sends" USING btree ("scope_id","channel","created_at") WHERE status in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "messages_send" ON "messages" USING btree ("scope_id","send_id","id");--> statement-breakpoint
CREATE INDEX "messages_person" ON "messages" USING btree ("scope_id","person","id");--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("priority","due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "messages_finished" ON "messages" USING btree ("scope_id","channel","finished_at","id") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "messages_undelivered" ON "messages" USING btree ("scope_id","channel","status","finished_at","id") WHERE channel <> 'push' and status in ('bounced', 'failed');--> statement-breakpoint
CREATE INDEX "messages_delivered" ON "messages" USING btree ("scope_id","delivered_at","id") WHERE delivered_at is not null;--> statement-breakpoint
CREATE INDEX "messages_retried" ON "messages" USING btree ("scope_id","channel") WHERE error_code is not null and due_at is not null;--> statement-breakpoint
CREATE INDEX "messages_provider" ON "messages" USING btree ("provider_id") WHERE provider_id is not null and channel <> 'push';--> statement-breakpoint
CREATE INDEX "messages_sms_address" ON "messages" USING btree ("scope_id","address","id") WHERE channel = 'sms';--> statement-breakpoint
CREATE INDEX "messages_ab_test" ON "messages" USING btree ("scope_id","ab_test_id","ab_test_unit","id") WHERE ab_test_id is not null;--> statement-breakpoint
CREATE INDEX "messages_held" ON "messages" USING btree ("scope_id","channel","id") WHERE reason in ('held', 'unreachable');--> statement-breakpoint
CREATE INDEX "outbox_messages_message" ON "outbox_messages" USING btree ("scope_id","message_id");--> statement-breakpoint
CREATE INDEX "ab_tests_channel" ON "ab_tests" USING btree ("scope_id","channel","id");--> statement-breakpoint
CREATE INDEX "ab_tests_counting" ON "ab_tests" USING btree ("scope_id") WHERE event_type is not null;--> statement-breakpoint
CREATE INDEX "callbacks_received" ON "callbacks" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "callback_events_person" ON "callback_events" USING btree ("scope_id","person") WHERE person is not null;--> statement-breakpoint
CREATE INDEX "callback_events_address" ON "callback_events" USING btree ("scope_id","address") WHERE address is not null;--> statement-breakpoint
CREATE INDEX "callback_events_created" ON "callback_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "suppressions_list" ON "suppressions" USING btree ("scope_id","channel","id");--> statement-breakpoint
CREATE INDEX "cap_entries_expired" ON "cap_entries" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "templates_name" ON "templates" USING btree ("project_key","channel","name");--> statement-breakpoint
CREATE UNIQUE INDEX "email_domains_name" ON "email_domains" USING btree ("scope_id","domain");--> statement-breakpoint
CREATE INDEX "email_domains_recheck" ON "email_domains" USING btree ("recheck_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_webhook" ON "webhook_deliveries" USING btree ("scope_id","webhook_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("scope_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_bodies_person" ON "webhook_bodies" USING btree ("scope_id","person");--> statement-breakpoint
CREATE INDEX "webhook_bodies_created" ON "webhook_bodies" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "call_buckets_tat" ON "call_buckets" USING btree ("tat_us");--> statement-breakpoint
CREATE INDEX "ai_usage_day" ON "ai_usage" USING btree ("day");--> statement-breakpoint
CREATE INDEX "ai_calls_due" ON "ai_calls" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expired" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "erasures_due" ON "erasures" USING btree ("due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "erasures_pending" ON "erasures" USING btree ("scope_id","user_id") WHERE user_id is not null;