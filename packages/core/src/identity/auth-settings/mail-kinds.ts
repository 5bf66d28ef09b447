/** Notices to the owner of an account: nobody requested them, and they hold no link that grants access. */
export const NOTICE_KINDS = [
  'email_changed_notice',
  'mfa_wrong_code',
  'password_changed',
  'mfa_removed',
  'passkey_added',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Emails of sign-in. Source: authentication design, Mail. */
export const MAIL_KINDS = [
  'verify',
  'exists',
  'magic_link',
  'otp',
  'reset',
  'email_change',
  'reauth',
  ...NOTICE_KINDS,
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];
