import type { z } from 'zod';
import type { emailTemplate } from '../email/template.ts';
import type { Channel } from '../primitives/channel.ts';
import type { Frozen } from '../primitives/frozen.ts';
import type { Page, PageQuery } from '../primitives/page.ts';
import type { ProjectScope, Scope } from '../primitives/scope.ts';
import type { pushTemplate } from '../push/template.ts';
import type { DryRunMessage } from '../sending/api.ts';
import type { smsTemplate } from '../sms/template.ts';
import type { ContentOf } from '../transports/sandbox/api.ts';
import type { TemplateWarning } from './kind.ts';

/** What a template may bring is needed where none is named. */
export type OrTemplate<Input, Field extends keyof Input> =
  | (Input & { readonly [Needed in Field]-?: Exclude<Input[Needed], undefined> })
  | (Input & { readonly templateId: string });

type Shapes = {
  push: (typeof pushTemplate)['fields'];
  email: (typeof emailTemplate)['fields'];
  sms: (typeof smsTemplate)['fields'];
};

/** What a template of a channel holds: the fields of a send body that say what is sent, as they were given. */
export type TemplateFields<C extends Channel> = Frozen<z.input<z.ZodObject<Shapes[C]>>>;

/** A template that is made: a name that its project and channel do not have yet, and what it holds. Texts are templates. */
export type TemplateInput<C extends Channel> = { readonly name: string } & TemplateFields<C>;

/** What changes of a template: null removes a field, what is left out stays. */
export type TemplatePatch<C extends Channel> = { readonly name?: string | undefined } & {
  readonly [Field in keyof TemplateFields<C>]?: TemplateFields<C>[Field] | null | undefined;
};
export type TemplateSummary = { readonly id: string; readonly name: string };

/** A template as a list shows it, which is all but what it holds. */
export type TemplateRow = TemplateSummary & {
  readonly orgId: string;
  readonly projectId: string;
  readonly channel: Channel;
  /** From 1; each change makes a new one, and a send keeps the one that it was accepted with. */
  readonly version: number;
  readonly createdAt: Date;
  /** When this version came. */
  readonly updatedAt: Date;
};

export type TemplateRecord<C extends Channel> = TemplateRow & { readonly channel: C } & TemplateFields<C>;

export type TemplateSaved<C extends Channel> = TemplateRecord<C> & { readonly warnings: readonly TemplateWarning[] };

export type TemplateQuery = PageQuery & {
  /** The whole name, as it is. */
  readonly name?: string | undefined;
};

export type TemplateVersionOptions = {
  /** The `version` that was read: refuses where there is another by now. */
  readonly ifVersion?: number | undefined;
};

export type PreviewInput = {
  /** Whose profile is read; absent: nobody's, with sample values of the built-in fields. */
  readonly userId?: string | undefined;
  /** What a send would bring along: the values of `event.*`. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the user's own language. */
  readonly locale?: string | undefined;
};

/** What a template would be for somebody; nothing of it is sent or kept. */
export type TemplatePreview<C extends Channel> = {
  readonly templateId: string;
  readonly version: number;
  readonly channel: C;
  /** What would become of a message: `suppressed` and `failed` say why in `reason`. */
  readonly status: DryRunMessage['status'];
  readonly reason: Exclude<DryRunMessage['reason'], 'provider_not_configured'>;
  /** As it would be handed over, also for somebody without an address; null where there is nothing to show. */
  readonly content: ContentOf[C] | null;
  /** Variables of what is shown that have no value here and no default, so nothing stands in their place. */
  readonly unresolved: readonly string[];
  readonly warnings: readonly TemplateWarning[];
};

/** Templates belong to a project and serve both of its environments. */
export type TemplatesApi = {
  /**
   * Throws VALIDATION_ERROR, also for texts whose tags are not closed or name a scope that there is not, and CONFLICT
   * `exists` (`details.id`) for a name that the channel has.
   */
  create<C extends Channel>(scope: ProjectScope, channel: C, template: TemplateInput<C>): Promise<TemplateSaved<C>>;
  /** Newest first. Throws VALIDATION_ERROR for a limit or a cursor that there is not. */
  list(scope: ProjectScope, channel: Channel, query?: TemplateQuery): Promise<Page<TemplateRow>>;
  /** Throws NOT_FOUND, also for another channel's template. */
  get<C extends Channel>(scope: ProjectScope, channel: C, id: string): Promise<TemplateRecord<C>>;
  /**
   * Makes a new version where anything differs. Sends that were accepted keep the version that they were accepted with.
   * Throws as `create` and `get`, and CONFLICT `version_changed`.
   */
  update<C extends Channel>(
    scope: ProjectScope,
    channel: C,
    id: string,
    patch: TemplatePatch<C>,
    options?: TemplateVersionOptions,
  ): Promise<TemplateSaved<C>>;
  /** Sends that were accepted go on; steps of workflows that name it end as `error`. Throws NOT_FOUND, CONFLICT `version_changed`. */
  remove(scope: ProjectScope, channel: Channel, id: string, options?: TemplateVersionOptions): Promise<TemplateSummary>;
  /** Renders it as a send would. Throws VALIDATION_ERROR, NOT_FOUND. */
  preview<C extends Channel>(scope: Scope, channel: C, id: string, input?: PreviewInput): Promise<TemplatePreview<C>>;
};
