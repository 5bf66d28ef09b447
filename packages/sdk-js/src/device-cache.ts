/** The cache in which a page stores the device's registration for its service worker. */
export const DEVICE_CACHE = 'beckon';
/** Key in that cache; it is never requested from the network. */
export const DEVICE_PATH = '/.beckon-device';
