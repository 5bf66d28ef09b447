import type { z } from 'zod';
import type { MessageOf } from '../../delivery/transports/port.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { TemplateWarning } from './answers.generated.ts';
import type { RenderedField } from './texts.ts';

/** Content of a template: the fields of a send body as received. */
export type TemplateContent = Readonly<Record<string, unknown>>;

/** Collects issues of conflicting fields. */
export type Issues = { addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void };

/** The template rules of one channel, provided by its module; all of it is pure. */
export type TemplateKind<C extends Channel = Channel, Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly channel: C;
  /** The content fields of a send body, without recipients. */
  readonly fields: Shape;
  /** Adds issues of conflicting fields. Called with the output of `fields`. */
  check(content: z.output<z.ZodObject<Shape>>, context: Issues): void;
  /** Adds issues that reject a template when it is saved, not when a stored one is used. */
  checkSaved?(content: z.output<z.ZodObject<Shape>>, context: Issues): void;
  /** Fields whose strings are rendered, at any depth. */
  readonly texts: readonly RenderedField[];
  /** Fields of a user that the channel provides to these texts, besides the built-in ones. */
  readonly userFields?: readonly string[];
  /**
   * Merges a template under the caller's own fields, which win. Template fields with the same meaning (translations of
   * a text, the other form of a body) are dropped with the replaced field.
   */
  fill(template: TemplateContent, own: TemplateContent): TemplateContent;
  /** Warnings of the channel's platforms about a rendered message. */
  weigh(message: MessageOf[C]): readonly TemplateWarning[];
};

/** The kinds of all channels. */
export type TemplateKinds = { readonly [C in Channel]: TemplateKind<C> };

/** The members of a content that are set. Throws nothing. */
export const ownFields = (content: TemplateContent): TemplateContent =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));

/** A content without some members. Throws nothing. */
export const without = (content: TemplateContent, names: readonly string[]): TemplateContent =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)));

/**
 * A `fill` for channels whose fields replace whole fields.
 *
 * @param replaced template fields to drop for each own field
 */
export const fillFields =
  (replaced: Readonly<Record<string, readonly string[]>>): TemplateKind['fill'] =>
  (template, own) => {
    const fields = ownFields(own);
    const replacedNames = Object.keys(fields).flatMap((name) =>
      Object.hasOwn(replaced, name) ? (replaced[name] ?? []) : [],
    );
    return { ...without(template, replacedNames), ...fields };
  };
