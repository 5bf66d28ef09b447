// Uses stored templates in steps: the current version when the step runs; fields of the step take precedence.

import type { z } from 'zod';
import type { Channel } from '../../../foundation/channel.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import type { TemplateContent, TemplateKind } from '../../../messaging/templates/kind.ts';
import { RenderError, type RenderScopes, render } from '../../../messaging/templates/render.ts';
import { readContent } from '../../../messaging/templates/schema.ts';
import { renderedTexts } from '../../../messaging/templates/texts.ts';
import { stepScopes } from './scopes.ts';
import type { NamedGate, PlanContext, RunContext, StepSend } from './step.ts';

/** A step's fields merged with its template and parsed like a send body, or why they cannot be sent. */
export type Filled<Content> =
  | { readonly ok: true; readonly content: Content; readonly from: Pick<StepSend, 'templateId' | 'templateVersion'> }
  | { readonly ok: false; readonly reason: 'template_not_found' | 'invalid_content' };

/**
 * Fills a step from its template; null if it has none.
 *
 * @param own the step's content fields, which take precedence
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

/** Result of a step whose org's plan does not include its template or A/B test. Source: contract, Plan gates. */
export const TIER_REQUIRED = { outcome: 'error', reason: 'tier_required' } as const;

/** True if the plan does not include a feature of the step, which was saved before a downgrade. */
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

/** Values of `event.*` that override the trigger's; null: a text would be too large. */
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

/** All rendered texts of a content. Throws nothing. */
export const textsOf = ({ texts }: Pick<TemplateKind, 'texts'>, content: TemplateContent): readonly string[] =>
  Array.from(renderedTexts(content, texts), ({ text }) => text);

/** All texts that an A/B test may use instead of the step's own: the variant of a message is known at delivery only. */
export const testedTexts = async (
  context: Pick<RunContext, 'variantTexts'>,
  channel: Channel,
  abTestId: string | null,
): Promise<readonly string[]> => (abTestId === null ? [] : ((await context.variantTexts?.(channel, abTestId)) ?? []));
