import type { Mutant } from '../../../test/mutant.ts';

/** Rules of steps that name a template; a part of the room's list. */
export const mutantsOfTemplates: readonly Mutant[] = [
  {
    says: 'a step whose template is gone ends as an error',
    file: 'steps/template.ts',
    find: "if (!template) return { ok: false, reason: 'template_not_found' };",
    replace: 'if (!template) return null;',
  },
  {
    says: 'what a step and its template say is checked together',
    file: 'steps/template.ts',
    find: "if (!read.ok) return { ok: false, reason: 'invalid_content' };",
    replace: 'if (!read.ok) return null;',
  },
  {
    says: 'values of a step are filled in',
    file: 'steps/template.ts',
    find: "if (typeof value === 'string') return render(compileTemplate(value), scopes, { escapeHtml: false });",
    replace: '',
  },
  {
    says: "values of a step stand over the trigger's",
    file: 'steps/scopes.ts',
    find: 'const event = { ...eventScope(context), ...variables };',
    replace: 'const event = { ...variables, ...eventScope(context) };',
  },
  {
    says: 'a send of a step names its template',
    file: 'steps/template.ts',
    find: 'const from = { templateId: template.id, templateVersion: template.version };',
    replace: 'const from = {};',
  },
];
