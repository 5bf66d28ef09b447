import type { z } from 'zod';
import type { MessageOf } from '../../delivery/transports/port.ts';
import type { Channel } from '../../foundation/channel.ts';
import type { TemplateWarning } from './answers.generated.ts';
import type { RenderedField } from './texts.ts';

/** What a template holds of its channel: the fields of a send body as they were given. */
export type TemplateContent = Readonly<Record<string, unknown>>;

/** Takes what is wrong with fields that cannot stand together. */
export type Issues = { addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void };

/** What the templates of one channel are made of; the channel's room says so, and all of it is pure. */
export type TemplateKind<C extends Channel = Channel, Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly channel: C;
  /** The fields of a send body that say what is sent, without those that say to whom. */
  readonly fields: Shape;
  /** Adds the issues of fields that cannot stand together. Asked with what `fields` made of them. */
  check(content: z.output<z.ZodObject<Shape>>, context: Issues): void;
  /** Adds what is refused when a template is saved, and not where one that is stored is used. */
  checkSaved?(content: z.output<z.ZodObject<Shape>>, context: Issues): void;
  /** The fields whose strings are rendered, at any depth. */
  readonly texts: readonly RenderedField[];
  /** Fields of a user that these texts may read besides the built-in ones, since the channel gives them. */
  readonly userFields?: readonly string[];
  /**
   * A template under fields of a caller's own, which win: what of the template says the same in other words (its
   * translations of a text, the other form of a body) goes with what they replace.
   */
  fill(template: TemplateContent, own: TemplateContent): TemplateContent;
  /** What its platforms would say of a rendered message. */
  weigh(message: MessageOf[C]): readonly TemplateWarning[];
};

/** The kinds of all channels. */
export type TemplateKinds = { readonly [C in Channel]: TemplateKind<C> };

/** The members of a content that are there. Throws nothing. */
export const ownFields = (content: TemplateContent): TemplateContent =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));

/** A content without some of its members. Throws nothing. */
export const without = (content: TemplateContent, names: readonly string[]): TemplateContent =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)));

/**
 * `fill` of channels whose fields replace whole fields.
 *
 * @param replaced by a field of the caller's own, the fields of a template that go with it
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
