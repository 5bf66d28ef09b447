import { bulkSelect } from '../../database/statements/bulk.ts';
import type { TemplateTables } from './tables.ts';

/** The reads of sends and of steps that name templates. */
export const templateStatements = ({ templates }: TemplateTables) => ({
  used: bulkSelect(
    'templates.used',
    templates,
    ['projectKey', 'id'],
    ['projectKey', 'id', 'channel', 'version', 'content'],
  ),
  /** The same without what they hold. */
  known: bulkSelect('templates.known', templates, ['projectKey', 'id'], ['projectKey', 'id', 'channel']),
});
