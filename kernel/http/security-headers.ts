import { isUncachedPath, type RequestPath } from './request-path.ts'

/** The dashboard is static files of this very origin; only style attributes may stand inline. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join('; ')

const everywhere: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', contentSecurityPolicy],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
]

/** Headers that every answer of the Admin listener carries, whatever becomes of the request. Undefined: the path is not known. */
export function securityHeaders(path: RequestPath | undefined): readonly (readonly [string, string])[] {
  return path && !isUncachedPath(path) ? everywhere : [...everywhere, ['Cache-Control', 'no-store']]
}
