// Types of modules that hold messages of all channels: only the app knows every channel.

import type { z } from 'zod';
import type { Channel } from '../foundation/channel.ts';
import type { Frozen } from '../foundation/frozen.ts';
import type { emailTemplate } from '../messaging/email/template.ts';
import type { pushTemplate } from '../messaging/push/template.ts';
import type { Message } from '../messaging/sends/answers.generated.ts';
import type { RenderedPreview } from '../messaging/sends/api.ts';
import type { smsTemplate } from '../messaging/sms/template.ts';
import type {
  TemplateInputOf,
  TemplatePatchOf,
  TemplatePreviewOf,
  TemplateRecordOf,
  TemplateSavedOf,
  TemplatesApiOf,
} from '../messaging/templates/api.ts';
import type { ProfilesApiOf } from '../people/profiles/api.ts';

export type ProfilesApi = ProfilesApiOf<Message>;

type TemplateShapes = {
  push: (typeof pushTemplate)['fields'];
  email: (typeof emailTemplate)['fields'];
  sms: (typeof smsTemplate)['fields'];
};
/** Content of a template of a channel: the content fields of a send body, as they were given. */
export type TemplateFields<C extends Channel> = Frozen<z.input<z.ZodObject<TemplateShapes[C]>>>;
export type TemplateInput<C extends Channel> = TemplateInputOf<TemplateFields<C>>;
export type TemplatePatch<C extends Channel> = TemplatePatchOf<TemplateFields<C>>;
export type TemplateRecord<C extends Channel> = TemplateRecordOf<C, TemplateFields<C>>;
export type TemplateSaved<C extends Channel> = TemplateSavedOf<C, TemplateFields<C>>;
export type TemplatePreview<C extends Channel> = TemplatePreviewOf<C, RenderedPreview<C>>;
export type TemplatesApi = TemplatesApiOf<{
  readonly [C in Channel]: { readonly fields: TemplateFields<C>; readonly preview: RenderedPreview<C> };
}>;
