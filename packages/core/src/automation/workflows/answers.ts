import { z } from 'zod';
import { answersOf, projectFields } from '../../foundation/answers.ts';
import { runAnswers } from '../runs/answers.ts';
import { type Step, stepTypes } from '../runs/steps/list.ts';
import type { Answers } from './answers.generated.ts';
import { type Trigger, workflowBody } from './schema.ts';

/** Schemas of the answers about workflows. */
export const workflowAnswers = answersOf<Answers>()(() => {
  const Step: z.ZodType<Step> = stepTypes.schema;
  const Trigger: z.ZodType<Trigger> = workflowBody.shape.trigger;
  const WorkflowSummary = z
    .object({ id: z.uuid().describe('Id of the workflow.'), name: z.string().describe('Name of the workflow.') })
    .describe('Id and name of a workflow.');
  const definition = {
    name: z.string().describe('Name of the workflow.'),
    description: z.string().nullable().describe('Description; null if there is none.'),
    trigger: Trigger.describe('Event that starts the workflow.'),
    isActive: z.boolean().describe('Whether events start the workflow.'),
  };
  const steps = z.array(Step).describe('Steps, in their order.');
  const { ImportWarning } = runAnswers();
  const warnings = z.array(ImportWarning).describe('Problems of the workflows.');
  const WorkflowRow = z
    .object({
      ...WorkflowSummary.shape,
      ...projectFields('workflow'),
      ...definition,
      version: z.int().describe('Increases with every change, from 1; a run keeps the version that it started with.'),
      createdAt: z.date().describe('When the workflow was created.'),
      updatedAt: z.date().describe('When this version was saved.'),
    })
    .describe('A workflow without its steps.');
  const WorkflowRecord = WorkflowRow.extend({ steps }).describe('A workflow.');
  return {
    WorkflowSummary,
    WorkflowRow,
    WorkflowRecord,
    WorkflowSaved: WorkflowRecord.extend({ warnings }).describe('A saved workflow.'),
    ImportAnswer: z
      .object({
        created: z.array(WorkflowSummary).describe('Workflows that were created.'),
        updated: z
          .array(
            WorkflowSummary.extend({
              version: z.int().describe('Version after the import.'),
              changes: z.array(z.string()).describe('Paths of the changed fields.'),
            }),
          )
          .describe('Workflows that were changed.'),
        unchanged: z.array(WorkflowSummary).describe('Workflows that were the same already.'),
        skipped: z.array(z.string()).describe('Names of workflows that the option `only` excluded.'),
        warnings,
        dryRun: z.boolean().describe('Whether nothing was written.'),
        importId: z.uuid().describe('Id of the import.'),
      })
      .describe('Result of an import of workflows.'),
    Bundle: z
      .object({
        version: z.literal(1).describe('Version of the format.'),
        exportedAt: z.iso.datetime().describe('When the bundle was exported.'),
        workflows: z.array(z.object({ ...definition, steps })).describe('Workflows with distinct names.'),
      })
      .describe('Workflows as a file, for git and for imports.'),
  };
});
