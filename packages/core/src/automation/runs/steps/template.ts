// What steps take of stored templates: as it is when the step runs, under the fields of the step itself.

import type { z } from 'zod';
import type { Channel } from '../../../foundation/channel.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import type { TemplateContent, TemplateKind } from '../../../messaging/templates/kind.ts';
import { RenderError, type RenderScopes, render } from '../../../messaging/templates/render.ts';
import { readContent } from '../../../messaging/templates/schema.ts';
import { renderedTexts } from '../../../messaging/templates/texts.ts';
import { stepScopes } from './scopes.ts';
import type { NamedGate, PlanContext, RunContext, StepSend } from './step.ts';

/** A step's fields with those of its template, read as a send body's are; or the word for why they cannot be sent. */
export type Filled<Content> =
  | { readonly ok: true; readonly content: Content; readonly from: Pick<StepSend, 'templateId' | 'templateVersion'> }
  | { readonly ok: false; readonly reason: 'template_not_found' | 'invalid_content' };

/**
 * Fills a step from the template that it names; null where it names none.
 *
 * @param own the step's fields that say what is sent; they win
 */
export const filledFrom = async <C extends Channel, Shape extends z.ZodRawShape>(
  context: Pick<RunContext, 'template'>,
  kind: TemplateKind<C, Shape>,
  id: string | undefined,
  own: TemplateContent,
): Promise<Filled<z.output<z.ZodObject<Shape>>> | null> => {
  if (id === undefined) return null;
  const template = await context.template(kind.channel, id);
  if (!template) return { ok: false, reason: 'template_not_found' };
  const read = readContent(kind, kind.fill(template.content, own));
  if (!read.ok) return { ok: false, reason: 'invalid_content' };
  const from = { templateId: template.id, templateVersion: template.version };
  return { ok: true, content: read.content, from };
};

/** How a step ends whose org's plan lacks a template or an A/B test that it names. Source: contract, Plan gates. */
export const TIER_REQUIRED = { outcome: 'error', reason: 'tier_required' } as const;

/** True where the plan lacks one of what a step names: it was saved before a downgrade. */
export const isAbovePlan = async (
  context: Pick<RunContext, 'mayUse'>,
  named: { readonly templateId: string | undefined; readonly abTestId: string | null },
): Promise<boolean> => {
  const gates: readonly NamedGate[] = [
    ...(named.templateId === undefined ? [] : (['templates'] as const)),
    ...(named.abTestId === null ? [] : (['abTests'] as const)),
  ];
  const allowed = await Promise.all(gates.map((gate) => context.mayUse?.(gate) ?? true));
  return allowed.includes(false);
};

const filledIn = (value: unknown, scopes: RenderScopes): unknown => {
  if (typeof value === 'string') return render(compileTemplate(value), scopes, { escapeHtml: false });
  if (Array.isArray(value)) return value.map((item) => filledIn(item, scopes));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, scopes)]));
};

/** The values of `event.*` that a step gives besides the trigger's; null: a text of them would be too large. */
export const variablesOf = (
  variables: Readonly<Record<string, unknown>> | undefined,
  context: Pick<PlanContext, 'run' | 'profile'>,
): Readonly<Record<string, unknown>> | null => {
  if (variables === undefined) return {};
  try {
    // Safe: an object in, an object out.
    return filledIn(variables, stepScopes(context)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
};

/** Every text of a content that is rendered. Throws nothing. */
export const textsOf = ({ texts }: Pick<TemplateKind, 'texts'>, content: TemplateContent): readonly string[] =>
  Array.from(renderedTexts(content, texts), ({ text }) => text);

/** Every text that a test may say in place of the step's own: which variant is a message's is known when it is delivered. */
export const testedTexts = async (
  context: Pick<RunContext, 'variantTexts'>,
  channel: Channel,
  abTestId: string | null,
): Promise<readonly string[]> => (abTestId === null ? [] : ((await context.variantTexts?.(channel, abTestId)) ?? []));
