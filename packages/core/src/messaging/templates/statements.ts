import { bulkSelect } from '../../database/statements/bulk.ts';
import type { TemplateTables } from './tables.ts';

/** Reads of sends and steps that name templates. */
export const templateStatements = ({ templates }: TemplateTables) => ({
  used: bulkSelect(
    'templates.used',
    templates,
    ['projectKey', 'id'],
    ['projectKey', 'id', 'channel', 'version', 'content'],
  ),
  /** The same without their content. */
  known: bulkSelect('templates.known', templates, ['projectKey', 'id'], ['projectKey', 'id', 'channel']),
});
