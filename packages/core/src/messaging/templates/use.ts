import type { Channel } from '../../foundation/channel.ts';
import type { InProject } from '../../foundation/scope.ts';
import type { TemplateContent } from './kind.ts';

/** What a send takes of a template. */
export type UsedTemplate = { readonly id: string; readonly version: number; readonly content: TemplateContent };
/** The template of that channel as it is now; null: the project has none. One statement. */
export type UseTemplate = (scope: InProject, channel: Channel, id: string) => Promise<UsedTemplate | null>;
/** A template that something names. */
export type TemplateRef = { readonly channel: Channel; readonly id: string };
/** One string per reference, for sets. */
export const refKey = ({ channel, id }: TemplateRef): string => `${channel}/${id}`;

/** What other modules use of stored templates. */
export type Templates = {
  readonly use: UseTemplate;
  /** Those of the references that the project lacks, by `refKey`; one statement. */
  lacking(project: InProject, refs: readonly TemplateRef[]): Promise<ReadonlySet<string>>;
};
