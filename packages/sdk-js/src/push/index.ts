// Web Push for a page.

export { enableWebPush, type WebPushOptions, type WebPushResult } from './enable.ts';
