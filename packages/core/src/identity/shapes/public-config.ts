import type { AuthSettings } from '../auth-settings/schema.ts';
import type { AuthConfig } from './answers.generated.ts';

/** What a sign-in page must know of the settings; everybody may read it. Throws nothing. */
export const publicConfigOf = ({ signup, password, captcha, anonymous }: AuthSettings): AuthConfig => ({
  signup: signup.mode,
  passwordMinLength: password.minLength,
  captcha:
    captcha.type === 'none' || captcha.siteKey === null ? null : { type: captcha.type, siteKey: captcha.siteKey },
  methods: { password: true, magicLink: true, emailCode: true, anonymous: anonymous.enabled },
});
