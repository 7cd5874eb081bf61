/** The door for plugins that run a server of their own beside the Admin listener, or sign browsers in. */
export { readCookie, setSessionCookie } from './auth/session-cookie.ts'
export { readListenAddress, urlOf } from './config/listen-address.ts'
export type { Client } from './http/connections/client-pool.ts'
export type { Connection, RequestHandler } from './http/connections/connection.ts'
export { Connections } from './http/connections/connections.ts'
export { hasOtherCoding } from './http/connections/request-end.ts'
export { defineListener, listeners } from './http/listeners.ts'
export type { LimitTexts } from './process/limits.ts'
