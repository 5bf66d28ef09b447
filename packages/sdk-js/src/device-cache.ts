/** The cache in which a page leaves for its service worker what it said of the device. */
export const DEVICE_CACHE = 'beckon';
/** Where in that cache; nobody asks the network for it. */
export const DEVICE_PATH = '/.beckon-device';
