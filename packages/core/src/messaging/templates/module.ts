import { pageLimit } from '../../foundation/page.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TemplateTypes } from './api.ts';
import type { TemplateKinds } from './kind.ts';
import { parsePreview, type RenderPreview } from './preview.ts';
import { checkTemplatePatch, parseTemplate } from './schema.ts';
import type { TemplateTables } from './tables.ts';
import { templatesEngine } from './templates.ts';
import type { Templates } from './use.ts';

export type TemplatesPlatform = Platform<TemplateTables>;

type Needs<T extends TemplateTypes> = {
  /** Of all channels. */
  readonly kinds: TemplateKinds;
  readonly renderPreview: RenderPreview<T>;
  readonly requirePlan: RequirePlan;
};

/** Builds stored templates. Built after sending, which renders their previews. */
export const templatesModule = <T extends TemplateTypes>(
  { storage, tables, clock, ids }: TemplatesPlatform,
  { kinds, renderPreview, requirePlan }: Needs<T>,
) => {
  const { api, use, lacking } = templatesEngine<T>({ storage, tables, clock, ids }, { kinds, renderPreview });
  return {
    name: 'templates',
    api: gated(requirePlan, 'templates', api, {
      create: (_, channel, body) => parseTemplate(kinds[channel], body),
      update: (_, channel, _id, patch) => checkTemplatePatch(kinds[channel], patch),
      preview: (_, _channel, _id, body = {}) => parsePreview(body),
      list: (_, _channel, query) => pageLimit(query?.limit),
    }),
    internal: { use, lacking } satisfies Templates,
  };
};
