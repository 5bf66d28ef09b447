import type { Channel } from '../../foundation/channel.ts';
import type { InProject } from '../../foundation/scope.ts';
import type { TemplateContent } from './kind.ts';

/** The part of a template that a send uses. */
export type UsedTemplate = { readonly id: string; readonly version: number; readonly content: TemplateContent };
/** The current template of that channel; null: the project has none. One statement. */
export type UseTemplate = (scope: InProject, channel: Channel, id: string) => Promise<UsedTemplate | null>;
/** A reference to a template. */
export type TemplateRef = { readonly channel: Channel; readonly id: string };
/** Set key of a reference. */
export const refKey = ({ channel, id }: TemplateRef): string => `${channel}/${id}`;

/** Functions for other modules. */
export type Templates = {
  readonly use: UseTemplate;
  /** The references, by `refKey`, that the project does not have; one statement. */
  lacking(project: InProject, refs: readonly TemplateRef[]): Promise<ReadonlySet<string>>;
};
