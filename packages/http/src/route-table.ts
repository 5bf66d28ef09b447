import type { Route } from './route.ts';
import { aiRoutes } from './routes/ai.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { audienceRoutes } from './routes/audiences.ts';
import { authRoutes } from './routes/auth.ts';
import { authAdminRoutes } from './routes/auth-admin.ts';
import { authClaimsRoutes } from './routes/auth-claims.ts';
import { authKeyRoutes } from './routes/auth-keys.ts';
import { authLinkRoutes } from './routes/auth-links.ts';
import { authMfaRoutes } from './routes/auth-mfa.ts';
import { authPasskeyRoutes } from './routes/auth-passkeys.ts';
import { authScimRoutes } from './routes/auth-scim.ts';
import { authSocialRoutes } from './routes/auth-social.ts';
import { authSsoRoutes } from './routes/auth-sso.ts';
import { automationRoutes } from './routes/automation.ts';
import { callbackRoutes } from './routes/callbacks.ts';
import { emailRoutes } from './routes/email.ts';
import { emailDomainRoutes } from './routes/email-domains.ts';
import { eventRoutes } from './routes/events.ts';
import { geofenceRoutes } from './routes/geofences.ts';
import { healthRoutes } from './routes/health.ts';
import { interfaceRoutes } from './routes/interface.ts';
import { liveActivityRoutes } from './routes/live-activities.ts';
import { profileRoutes } from './routes/profiles.ts';
import { pushRoutes } from './routes/push.ts';
import { sandboxRoutes } from './routes/sandbox.ts';
import { secretRoutes } from './routes/secrets.ts';
import { serviceWorkerRoutes } from './routes/service-worker.ts';
import { simulateRoutes } from './routes/simulate.ts';
import { smsRoutes } from './routes/sms.ts';
import { trackingRoutes } from './routes/tracking.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Every served route, once. Its path shapes follow from `shape`. */
export const routes: readonly Route[] = [
  ...eventRoutes,
  ...profileRoutes,
  ...analyticsRoutes,
  ...audienceRoutes,
  ...automationRoutes,
  ...simulateRoutes,
  ...secretRoutes,
  ...aiRoutes,
  ...pushRoutes,
  ...geofenceRoutes,
  ...liveActivityRoutes,
  ...emailRoutes,
  ...emailDomainRoutes,
  ...trackingRoutes,
  ...unsubscribeRoutes,
  ...smsRoutes,
  ...callbackRoutes,
  ...webhookRoutes,
  ...authRoutes,
  ...authLinkRoutes,
  ...authAdminRoutes,
  ...authClaimsRoutes,
  ...authKeyRoutes,
  ...authScimRoutes,
  ...authSocialRoutes,
  ...authSsoRoutes,
  ...authMfaRoutes,
  ...authPasskeyRoutes,
  ...sandboxRoutes,
  ...apiKeyRoutes,
  ...interfaceRoutes,
  ...healthRoutes,
  ...serviceWorkerRoutes,
];
