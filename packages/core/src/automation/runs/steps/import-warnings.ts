export type ImportWarning = {
  readonly name: string;
  /** Within the workflow, such as `steps.0.config.subject`. */
  readonly path: string;
  readonly code: (typeof IMPORT_WARNINGS)[number];
  readonly message: string;
};

/** What an import points out. */
export const IMPORT_WARNINGS = [
  'unknown_audience',
  'unknown_template',
  'unknown_ab_test',
  'hidden_variants',
  'unknown_variable',
  'unclosed_tag',
  'empty_path',
  'unknown_filter',
  'only_in_workflows',
  'stray_brace',
  'foreign_tag',
  'not_rendered',
  'no_provider',
  'no_model',
  'missing_secret',
  'no_subject',
  'no_person',
] as const;
