/** Services that tell people from programs; `none`: no check. */
export const CAPTCHA_TYPES = ['none', 'turnstile', 'hcaptcha', 'recaptcha'] as const;
export type CaptchaType = (typeof CAPTCHA_TYPES)[number];
