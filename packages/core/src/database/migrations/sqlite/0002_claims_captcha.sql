CREATE TABLE `auth_jwt_templates` (
	`scope_id` integer PRIMARY KEY NOT NULL,
	`template` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `auth_sessions` ADD `actor` text;--> statement-breakpoint
ALTER TABLE `auth_settings` ADD `captcha_sealed` text;