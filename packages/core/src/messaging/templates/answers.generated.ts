// Made of the schemas in answers.ts by `npm run openapi`.

/** A problem of a template that does not prevent saving it. */
export interface TemplateWarning {
  /** Field of the warning, such as `data.url`; null for the whole content. */
  readonly path: string | null;
  /** Stable code, such as `unknown_variable` or `payload_too_large`. */
  readonly code: string;
  /** The warning, in one sentence. */
  readonly message: string;
}

/** Id and name of a template. */
export interface TemplateSummary {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
}

/** A template without its content. */
export interface TemplateRow {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template. */
  readonly name: string;
  /** Organization of the template. */
  readonly orgId: string;
  /** Project of the template. */
  readonly projectId: string;
  /** Channel of the template. */
  readonly channel: 'push' | 'email' | 'sms';
  /** Increases with every change, from 1; a send keeps the version of its acceptance. */
  readonly version: number;
  /** When the template was created. */
  readonly createdAt: Date;
  /** When this version was saved. */
  readonly updatedAt: Date;
}

/** A saved template without its content. */
export interface TemplateRowSaved extends TemplateRow {
  /** Problems of the template. */
  readonly warnings: readonly TemplateWarning[];
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly TemplateWarning: TemplateWarning;
  readonly TemplateSummary: TemplateSummary;
  readonly TemplateRow: TemplateRow;
  readonly TemplateRowSaved: TemplateRowSaved;
}
