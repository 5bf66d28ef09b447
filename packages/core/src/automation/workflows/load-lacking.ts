import { CHANNELS, type Channel } from '../../foundation/channel.ts';
import type { InProject, InScope, ProjectScope, Scope, ScopeNames } from '../../foundation/scope.ts';
import type { TestName, TestTexts } from '../../messaging/ab-tests/tested-texts.ts';
import type { TemplateRef } from '../../messaging/templates/use.ts';
import { audiencesIn, type LoadLacking, secretNamesIn, templatesIn, testsIn } from './warnings.ts';

/** Reads of the modules whose things workflows name. */
export type LackingReads = {
  /** The scope of a project's `prod`. */
  prodScope(project: ProjectScope): Promise<Scope>;
  readonly sends: { lacking(scope: InScope, channels: readonly Channel[]): Promise<ReadonlySet<Channel>> };
  readonly templates: { lacking(project: InProject, refs: readonly TemplateRef[]): Promise<ReadonlySet<string>> };
  /** Those of the ids that neither environment of a project has. */
  readonly audiences: { lacking(project: ProjectScope, ids: readonly string[]): Promise<ReadonlySet<string>> };
  readonly abTests: {
    textsOf(scope: Scope, names: readonly TestName[]): Promise<ReadonlyMap<string, TestTexts>>;
  };
  readonly secrets: { lacking(scope: ScopeNames, names: readonly string[]): Promise<ReadonlySet<string>> };
  readonly ai: { hasProvider(orgId: string): Promise<boolean> };
};

/** Reads what of that workflows name is not there. Definitions serve both environments: without one, `prod` is read. */
export const lackingOf =
  (reads: LackingReads): LoadLacking =>
  async (scope, workflows) => {
    const environment = 'scopeId' in scope ? scope : await reads.prodScope(scope);
    const [channels, templates, audiences, tests, secrets, hasModels] = await Promise.all([
      reads.sends.lacking(environment, CHANNELS),
      reads.templates.lacking(scope, templatesIn(workflows)),
      reads.audiences.lacking(scope, audiencesIn(workflows)),
      reads.abTests.textsOf(environment, testsIn(workflows)),
      reads.secrets.lacking(environment, secretNamesIn(workflows)),
      reads.ai.hasProvider(scope.orgId),
    ]);
    return { channels, templates, audiences, tests, secrets, isModelless: !hasModels };
  };
