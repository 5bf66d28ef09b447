import type { Channel } from '../../foundation/channel.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { ProjectScope, Scope } from '../../foundation/scope.ts';
import type { TemplateRow, TemplateSummary, TemplateWarning } from './answers.generated.ts';

/** A field that a template may supply is required only without `templateId`. */
export type OrTemplate<Input, Field extends keyof Input> =
  | (Input & { readonly [Needed in Field]-?: Exclude<Input[Needed], undefined> })
  | (Input & { readonly templateId: string });

/** Types per channel: the fields of a template, and its preview. */
export type TemplateTypes = Readonly<Record<Channel, { readonly fields: object; readonly preview: object }>>;

/** A new template: a name that is unique in its project and channel, and its fields. Texts are templates. */
export type TemplateInputOf<Fields extends object> = { readonly name: string } & Fields;

/** Changes of a template: null removes a field, omitted fields stay. */
export type TemplatePatchOf<Fields extends object> = { readonly name?: string | undefined } & {
  readonly [Field in keyof Fields]?: Fields[Field] | null | undefined;
};

export type TemplateRecordOf<C extends Channel, Fields extends object> = TemplateRow & { readonly channel: C } & Fields;

export type TemplateSavedOf<C extends Channel, Fields extends object> = TemplateRecordOf<C, Fields> & {
  readonly warnings: readonly TemplateWarning[];
};

export type TemplateQuery = PageQuery & {
  /** Exact name. */
  readonly name?: string | undefined;
};

export type TemplateVersionOptions = {
  /** The `version` that was read; a different current version is a conflict. */
  readonly ifVersion?: number | undefined;
};

export type PreviewInput = {
  /** User whose profile is used; absent: sample values of the built-in fields. */
  readonly userId?: string | undefined;
  /** Values of `event.*`, as a send would pass them. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the user's own language. */
  readonly locale?: string | undefined;
};

/** A template rendered for a user; nothing is sent or stored. */
export type TemplatePreviewOf<C extends Channel, Preview extends object> = {
  readonly templateId: string;
  readonly version: number;
  readonly channel: C;
} & Preview;

/** Stored templates. They belong to a project and serve both of its environments. */
export type TemplatesApiOf<T extends TemplateTypes> = {
  /**
   * Throws VALIDATION_ERROR, also for texts with unclosed tags or unknown scopes, and CONFLICT `exists` (`details.id`)
   * for a name that the channel already has.
   */
  create<C extends Channel>(
    scope: ProjectScope,
    channel: C,
    template: TemplateInputOf<T[C]['fields']>,
  ): Promise<TemplateSavedOf<C, T[C]['fields']>>;
  /** Newest first. Throws VALIDATION_ERROR for an invalid limit or cursor. */
  list(scope: ProjectScope, channel: Channel, query?: TemplateQuery): Promise<Page<TemplateRow>>;
  /** Throws NOT_FOUND, also for a template of another channel. */
  get<C extends Channel>(scope: ProjectScope, channel: C, id: string): Promise<TemplateRecordOf<C, T[C]['fields']>>;
  /**
   * Makes a new version if anything differs. Accepted sends keep their version. Throws as `create` and `get`, and
   * CONFLICT `version_changed`.
   */
  update<C extends Channel>(
    scope: ProjectScope,
    channel: C,
    id: string,
    patch: TemplatePatchOf<T[C]['fields']>,
    options?: TemplateVersionOptions,
  ): Promise<TemplateSavedOf<C, T[C]['fields']>>;
  /**
   * Accepted sends continue; workflow steps that name it end as `error`. Throws NOT_FOUND, CONFLICT `version_changed`.
   */
  delete(scope: ProjectScope, channel: Channel, id: string, options?: TemplateVersionOptions): Promise<TemplateSummary>;
  /** Renders it as a send would. Throws VALIDATION_ERROR, NOT_FOUND. */
  preview<C extends Channel>(
    scope: Scope,
    channel: C,
    id: string,
    input?: PreviewInput,
  ): Promise<TemplatePreviewOf<C, T[C]['preview']>>;
};
