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
  {
    says: 'a step without a template has a text of its own',
    file: 'steps/send-sms.ts',
    find: 'config.templateId === undefined ? checkSms : checkSender',
    replace: 'checkSender',
    tests: ['packages/core/src/runs/steps/send.test.ts'],
  },
  {
    says: 'a template brings the text of a step',
    file: 'steps/send-sms.ts',
    find: 'config.templateId === undefined ? checkSms : checkSender',
    replace: 'checkSms',
    tests: ['packages/core/src/runs/steps/send.test.ts'],
  },
  {
    says: 'a mail may be said in languages alone',
    file: 'steps/send-email.ts',
    find: 'isLocalized(localized) ||',
    replace: '',
    tests: ['packages/core/src/runs/steps/send.test.ts'],
  },
  {
    says: 'what a variant reads goes along',
    file: 'steps/template.ts',
    find: '((await context.variantTexts?.(channel, abTestId)) ?? [])',
    replace: '[]',
  },
];
