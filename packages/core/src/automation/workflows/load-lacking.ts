import { CHANNELS, type Channel } from '../../foundation/channel.ts';
import type { InProject, InScope, ProjectScope, Scope, ScopeNames } from '../../foundation/scope.ts';
import type { TestName, TestTexts } from '../../messaging/ab-tests/tested-texts.ts';
import type { TemplateRef } from '../../messaging/templates/use.ts';
import { audiencesIn, type LoadLacking, secretNamesIn, templatesIn, testsIn } from './warnings.ts';

/** Reads of modules that workflows refer to. */
export type LackingReads = {
  /** The `prod` scope of a project. */
  prodScope(project: ProjectScope): Promise<Scope>;
  readonly sends: { lacking(scope: InScope, channels: readonly Channel[]): Promise<ReadonlySet<Channel>> };
  readonly templates: { lacking(project: InProject, refs: readonly TemplateRef[]): Promise<ReadonlySet<string>> };
  /** The ids that are audiences of neither environment of the project. */
  readonly audiences: { lacking(project: ProjectScope, ids: readonly string[]): Promise<ReadonlySet<string>> };
  readonly abTests: {
    textsOf(scope: Scope, names: readonly TestName[]): Promise<ReadonlyMap<string, TestTexts>>;
  };
  readonly secrets: { lacking(scope: ScopeNames, names: readonly string[]): Promise<ReadonlySet<string>> };
  readonly ai: { hasProvider(orgId: string): Promise<boolean> };
};

/**
 * Finds references of workflows that do not exist. Definitions apply to both environments; without one, `prod` is
 * checked.
 */
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
