// Reference texts of every name that a caller may meet: error codes, conflict reasons, message reasons and events.

import type { CatalogName, ErrorCode, MessageReason, RenderFailure } from '../packages/core/src/index.ts';

/** When a code occurs, what to do, and a message as an example. */
export type ErrorText = { readonly when: string; readonly remedy: string; readonly example: string };

export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  VALIDATION_ERROR: {
    when: 'A field, a query parameter or a header is not valid. `details.fieldErrors` maps each field to its messages. `details.reason` names special cases: `cap_reached`, `idempotency_mismatch`, `unsupported_bundle_version`.',
    remedy: 'Correct the fields and send the request again.',
    example: 'The request is not valid. details.fieldErrors names each field and the reason.',
  },
  UNAUTHORIZED: {
    when: 'The API key is missing, unknown, expired or revoked; or the signature of a delivery webhook does not match. With `details.reason`, sign-in of an end user failed; see [User sign-in](../guides/sign-in.md#errors).',
    remedy: 'Send a valid key in the header `x-api-key`. Keys of `test` start with `sk_test_` or `pk_test_`.',
    example:
      'Missing or invalid API key. Send a valid key in the header x-api-key; this one is missing, unknown, expired or revoked.',
  },
  tier_required: {
    when: "The organization's plan does not include the feature. `details.requiredPlan` names the smallest plan that does.",
    remedy: 'Change the plan of the organization, or omit the field that needs the feature.',
    example: 'The plan of this organization does not include templates. It requires plan starter or higher.',
  },
  FORBIDDEN: {
    when: 'The key may not do this although it has the scope, such as changing a setting of the whole organization with grants for some of its projects. With `details.reason`, an end user may not do it; see [User sign-in](../guides/sign-in.md#errors).',
    remedy: 'Use a key with the grants that the message names.',
    example:
      'The setting applies to all projects of the organization, and the API key covers only some. Use a key with a grant for the whole organization.',
  },
  scope_required: {
    when: 'The API key lacks a scope. `details.requiredScope` names it.',
    remedy: 'Use a key with the scope, or create one.',
    example: 'The API key lacks the scope email:write. Use a key that has it.',
  },
  NOT_FOUND: {
    when: 'No such path, or no resource with this id in the project and environment of the key. Resources of other organizations answer the same.',
    remedy: 'Check the id, `projectId`, and whether the key is of `test` or `prod`.',
    example: 'No send with this id in environment test of project 01890000-0000-7000-8000-000000000001.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path exists, but not with this method. The header `Allow` lists its methods.',
    remedy: 'Use one of the methods.',
    example: 'Method not allowed. This path supports GET, HEAD, POST.',
  },
  REQUEST_TIMEOUT: {
    when: 'The request headers did not arrive in time.',
    remedy: 'Send the request again.',
    example: 'The request did not arrive completely in time. Send it again.',
  },
  CONFLICT: {
    when: 'The request conflicts with the current state. `details.reason` says how; see [the reasons](#conflict-reasons).',
    remedy: 'Follow the reason.',
    example: 'Cannot cancel the send: a message was already handed to the provider.',
  },
  PROVIDER_NOT_CONFIGURED: {
    when: 'The channel has no provider in `prod`, or the domain of the From address is not verified. `details.missing` lists what is missing. Sign-in also needs `publicUrl`. Beckon stores nothing.',
    remedy: 'Configure the provider, or verify the domain.',
    example:
      'The email provider smtp is not configured. Missing settings: host, port, from. Set them with PUT /email/settings.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The request body is larger than the maximum of the operation, `details.max` bytes.',
    remedy: 'Split the request.',
    example: 'The request body is too large. The maximum is 1048576 bytes.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is not JSON, or it is compressed.',
    remedy: 'Send `Content-Type: application/json`, uncompressed.',
    example: 'Content-Type must be application/json.',
  },
  EXPECTATION_FAILED: {
    when: 'The header `Expect` has another value than `100-continue`.',
    remedy: 'Omit the header.',
    example: 'Unsupported Expect header. Send 100-continue or omit it.',
  },
  INVALID_RANGE: {
    when: 'A time range ends before it begins.',
    remedy: 'Swap `from` and `to`.',
    example: 'Invalid time range: `to` is before `from`. Swap them.',
  },
  RATE_LIMITED: {
    when: 'A rate limit or the monthly event quota is used up. `details.reason` is `quota`, `email_sends`, `analytics` or absent. `details.limit` says what is allowed at once, or in the month; `details.perMinute` what is allowed in a minute. `details.retryAfterSeconds` and the header `Retry-After` say when to retry.',
    remedy: 'Retry after that time. See [Rate limits, quotas and plans](../guides/plans-and-limits.md).',
    example: 'Rate limit of this kind of request exceeded: 200 per minute. Retry in 12 s.',
  },
  HEADERS_TOO_LARGE: {
    when: 'The request headers are larger than `details.max` bytes.',
    remedy: 'Send fewer or shorter headers.',
    example: 'The request headers are too large. The maximum is 16384 bytes.',
  },
  INTERNAL: {
    when: 'Beckon has a defect, or its environment failed. The response hides the cause; the log has it.',
    remedy: 'Search the log for the request id of the message and of the header `X-Request-ID`.',
    example: 'Internal error. Search the log for request 01890000-0000-7000-8000-000000000001.',
  },
  DEADLINE_EXCEEDED: {
    when: 'The request took longer than its time limit, or its body did not arrive in time. Beckon stored nothing.',
    remedy: 'Retry, or send less.',
    example: 'The request body did not arrive completely in time. Beckon stored nothing. Retry.',
  },
  OVERLOADED: {
    when: 'The server has too much work, the database is unreachable, or the service is not ready. Unless the message says that the request may have succeeded, Beckon stored nothing.',
    remedy: 'Retry after `Retry-After`, with the same `messageId` or `Idempotency-Key`.',
    example: 'The server is overloaded and stored nothing. Retry in 2 s.',
  },
  QUERY_TIMEOUT: {
    when: 'A query took too long, such as analytics over a long time range. Beckon stored nothing.',
    remedy: 'Request less, or retry after `Retry-After`.',
    example: 'The query took too long. Request a shorter time range.',
  },
  LOCK_TIMEOUT: {
    when: 'Another transaction held rows that the request needs. Beckon stored nothing.',
    remedy: 'Retry after `Retry-After`.',
    example: 'Another transaction held rows that this call needs. Beckon stored nothing. Retry in 1 s.',
  },
};

export const MESSAGE_TEXTS: Readonly<Record<MessageReason, { readonly status: string; readonly text: string }>> = {
  no_address: { status: 'suppressed', text: 'The profile of the user has no `email` or `phone`.' },
  no_token: { status: 'suppressed', text: 'The user has no active device on the platforms of the push.' },
  token_inactive: {
    status: 'suppressed',
    text: 'The device token is inactive: deactivated, or invalid for its push service.',
  },
  bounced_address: {
    status: 'suppressed',
    text: 'The address bounced before. Remove it from the suppressions to send again.',
  },
  complained_address: { status: 'suppressed', text: 'The recipient reported an earlier email as spam.' },
  sms_stopped: { status: 'suppressed', text: 'The number opted out with STOP. START from the number lifts this.' },
  unsubscribed: { status: 'suppressed', text: 'The user opted out of marketing on the channel, or of the category.' },
  locale_unsupported: {
    status: 'suppressed',
    text: 'The content has translations, none for the locale of the user, and no default.',
  },
  duplicate: { status: 'suppressed', text: 'Another message of the same send goes to the same address.' },
  empty_body: { status: 'suppressed', text: 'The rendered text is empty.' },
  frequency_cap: { status: 'suppressed', text: 'The user reached a frequency cap.' },
  quiet_hours: {
    status: 'suppressed',
    text: 'The user has quiet hours, and the settings suppress or the wait would be too long.',
  },
  held: {
    status: 'queued',
    text: 'The provider rejects the credentials. Beckon sends when they are corrected, for three days.',
  },
  unreachable: { status: 'queued', text: 'No provider of the channel responds. Beckon retries for three days.' },
  dead: { status: 'failed', text: 'The push service reports that the device token is invalid. Beckon deactivates it.' },
  bounced: { status: 'bounced', text: 'The receiving server rejected the address permanently. Beckon suppresses it.' },
  opted_out: { status: 'failed', text: 'The provider reports that the number opted out. Beckon suppresses it.' },
};

export const RENDER_TEXTS: Readonly<Record<RenderFailure, string>> = {
  content_missing: 'The content of the send no longer exists.',
  too_large: 'The rendered message is larger than its channel allows.',
  too_many_segments: 'The rendered SMS has more segments than `maxSegments`.',
  unsafe_url: 'A rendered URL has a scheme that is not allowed, such as `javascript:`.',
};

/** The meaning of an event for its receiver. */
export const EVENT_TEXTS: Readonly<Record<CatalogName, string>> = {
  'push.send_requested': 'A send was accepted. Nothing is sent yet.',
  'push.scheduled': 'A send will start at a later time.',
  'push.sent': 'The push is on its way to the device.',
  'push.delivered': 'The device displayed the push.',
  'push.failed': 'The push was not sent. `errorCode` says why.',
  'push.suppressed': 'The push was not sent. `reason` is a [message reason](./message-reasons.md).',
  'push.cancelled': 'The push was not sent, because its send was cancelled.',
  'push.opened': 'The user opened the push.',
  'push.clicked': 'The user clicked a button of the push.',
  'push.token_invalidated': 'The app was removed, or its token changed. Beckon deactivated the token.',
  'push.live_activity_started': 'A Live Activity appears on a device.',
  'push.live_activity_updated': 'A Live Activity shows a new state.',
  'push.live_activity_ended': 'A Live Activity ended.',
  'push.live_activity_invalidated': 'A Live Activity can no longer be updated.',
  'geofence.entered': 'A device entered a geofence.',
  'geofence.exited': 'A device left a geofence.',
  'geofence.dwelled': 'A device stayed in a geofence for `dwellSeconds`.',
  'email.delivered': 'The receiving server accepted the email.',
  'email.bounced': 'The address does not exist or rejects email. Beckon suppresses it.',
  'email.complained': 'The recipient marked the email as spam. Beckon suppresses the address.',
  'email.opened': 'The email was opened. Privacy proxies may open emails without the recipient.',
  'email.clicked': 'A link of the email was clicked. `url` names it.',
  'sms.delivered': 'The phone received the SMS.',
  'sms.failed': 'The SMS was not delivered. `errorCode` says why.',
  'sms.inbound': 'An SMS arrived.',
  'sms.stop_received': 'A number opted out. Beckon suppresses it.',
  'user.signed_up': 'A user created an account.',
  'user.signed_in': 'A user signed in.',
  'user.identified': 'A profile was created or updated by `identify`.',
  'user.session_expired': 'A session of a user ended.',
  'user.password_reset': 'A user replaced the password.',
  'workflow.run_started': 'A workflow started for a user.',
  'workflow.run_completed': 'A workflow ended for a user. `status` and `exitReason` say how.',
  'workflow.step_executed': 'A step of a workflow ended. `outcome` says how.',
};
