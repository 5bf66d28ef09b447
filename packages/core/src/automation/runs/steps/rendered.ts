// Which fields of steps are templates. Step types declare theirs from this table, and the guide shows it. Other fields
// are used as written, and a placeholder in them causes a warning.

import { emailTemplate } from '../../../messaging/email/template.ts';
import { pushTemplate } from '../../../messaging/push/template.ts';
import { smsTemplate } from '../../../messaging/sms/template.ts';
import type { Readable } from '../../../messaging/templates/lint.ts';
import type { RenderedField } from '../../../messaging/templates/texts.ts';

/** Fields that are rendered alike, and what they may read besides events, traits, users and saved outputs. */
export type RenderedGroup = {
  readonly fields: readonly RenderedField[];
  readonly reads?: Pick<Readable, 'userFields' | 'hasSecrets'>;
};

/** Rendered fields by step type. */
export const RENDERED = {
  send_email: [
    { fields: ['to', 'from', 'replyTo'] },
    { fields: emailTemplate.texts, reads: { userFields: emailTemplate.userFields } },
    { fields: ['variables'] },
  ],
  send_push: [{ fields: [...pushTemplate.texts, 'variables'] }],
  send_sms: [{ fields: ['to', ...smsTemplate.texts, 'variables'] }],
  update_profile: [{ fields: ['set', 'setOnce', 'increment', 'append', 'remove'] }],
  webhook: [{ fields: ['url'] }, { fields: ['headers'], reads: { hasSecrets: true } }, { fields: ['body'] }],
  branch: [],
  wait: [{ fields: ['until', 'event.filters'] }],
  ai_action: [{ fields: ['prompt'] }],
} as const satisfies Readonly<Record<string, readonly RenderedGroup[]>>;
