/** The example workflow of `serve --dev`: sends a welcome email on `user.signed_up`. */
export const welcomeBundle = {
  version: 1,
  exportedAt: '2026-11-01T00:00:00.000Z',
  workflows: [
    {
      name: 'Welcome',
      description: 'Greets a new user by email and, a minute later, counts the greeting in the profile.',
      trigger: { eventType: 'user.signed_up' },
      steps: [
        {
          type: 'send_email',
          config: {
            class: 'transactional',
            subject: 'Welcome, {{trait.first_name}}!',
            text: 'Hello {{trait.first_name}},\n\ngood to have you here. Your plan is {{event.plan}}.\n',
            html: '<p>Hello {{trait.first_name}},</p><p>good to have you here. Your plan is {{event.plan}}.</p>',
          },
        },
        { type: 'wait', config: { minutes: 1 } },
        { type: 'update_profile', config: { increment: { welcome_emails: 1 } } },
      ],
      isActive: true,
    },
  ],
} as const;

/** An event that starts the workflow, as the body of `POST /api/v1/events`. */
export const welcomeEvent = {
  module: 'app',
  eventType: 'user.signed_up',
  userId: 'ada',
  traits: { first_name: 'Ada', email: 'ada@example.com' },
  properties: { plan: 'free' },
} as const;
