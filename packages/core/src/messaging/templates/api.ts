import type { Channel } from '../../foundation/channel.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { ProjectScope, Scope } from '../../foundation/scope.ts';
import type { TemplateRow, TemplateSummary, TemplateWarning } from './answers.generated.ts';

/** What a template may bring is needed where none is named. */
export type OrTemplate<Input, Field extends keyof Input> =
  | (Input & { readonly [Needed in Field]-?: Exclude<Input[Needed], undefined> })
  | (Input & { readonly templateId: string });

/** What differs by channel: what a template holds, and what its preview shows. */
export type TemplateTypes = Readonly<Record<Channel, { readonly fields: object; readonly preview: object }>>;

/** A template that is made: a name that its project and channel do not have yet, and what it holds. Texts are templates. */
export type TemplateInputOf<Fields extends object> = { readonly name: string } & Fields;

/** What changes of a template: null removes a field, what is left out stays. */
export type TemplatePatchOf<Fields extends object> = { readonly name?: string | undefined } & {
  readonly [Field in keyof Fields]?: Fields[Field] | null | undefined;
};

export type TemplateRecordOf<C extends Channel, Fields extends object> = TemplateRow & { readonly channel: C } & Fields;

export type TemplateSavedOf<C extends Channel, Fields extends object> = TemplateRecordOf<C, Fields> & {
  readonly warnings: readonly TemplateWarning[];
};

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
export type TemplatePreviewOf<C extends Channel, Preview extends object> = {
  readonly templateId: string;
  readonly version: number;
  readonly channel: C;
} & Preview;

/** Templates belong to a project and serve both of its environments. */
export type TemplatesApiOf<T extends TemplateTypes> = {
  /**
   * Throws VALIDATION_ERROR, also for texts whose tags are not closed or name a scope that there is not, and CONFLICT
   * `exists` (`details.id`) for a name that the channel has.
   */
  create<C extends Channel>(
    scope: ProjectScope,
    channel: C,
    template: TemplateInputOf<T[C]['fields']>,
  ): Promise<TemplateSavedOf<C, T[C]['fields']>>;
  /** Newest first. Throws VALIDATION_ERROR for a limit or a cursor that there is not. */
  list(scope: ProjectScope, channel: Channel, query?: TemplateQuery): Promise<Page<TemplateRow>>;
  /** Throws NOT_FOUND, also for another channel's template. */
  get<C extends Channel>(scope: ProjectScope, channel: C, id: string): Promise<TemplateRecordOf<C, T[C]['fields']>>;
  /**
   * Makes a new version where anything differs. Sends that were accepted keep the version that they were accepted with.
   * Throws as `create` and `get`, and CONFLICT `version_changed`.
   */
  update<C extends Channel>(
    scope: ProjectScope,
    channel: C,
    id: string,
    patch: TemplatePatchOf<T[C]['fields']>,
    options?: TemplateVersionOptions,
  ): Promise<TemplateSavedOf<C, T[C]['fields']>>;
  /** Sends that were accepted go on; steps of workflows that name it end as `error`. Throws NOT_FOUND, CONFLICT `version_changed`. */
  delete(scope: ProjectScope, channel: Channel, id: string, options?: TemplateVersionOptions): Promise<TemplateSummary>;
  /** Renders it as a send would. Throws VALIDATION_ERROR, NOT_FOUND. */
  preview<C extends Channel>(
    scope: Scope,
    channel: C,
    id: string,
    input?: PreviewInput,
  ): Promise<TemplatePreviewOf<C, T[C]['preview']>>;
};
