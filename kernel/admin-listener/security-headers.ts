/** The dashboard consists of static files of this origin: nothing is inline, and no text becomes HTML or a script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

type HeaderLine = readonly [name: string, value: string]

const everywhere: readonly HeaderLine[] = [
  ['Content-Security-Policy', contentSecurityPolicy],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
]

/** One year. Subdomains are left out: other services may run there over http. */
const strictTransport: HeaderLine = ['Strict-Transport-Security', 'max-age=31536000']

interface AnswerTraits {
  /** The client connected over https, here or at a trusted proxy. */
  readonly isSecure: boolean
  readonly mayBeCached: boolean
}

/** Headers of every answer of the Admin listener. */
export function securityHeaders({ isSecure, mayBeCached }: AnswerTraits): readonly HeaderLine[] {
  return [
    ...everywhere,
    ...(isSecure ? [strictTransport] : []),
    ...(mayBeCached ? [] : [['Cache-Control', 'no-store'] satisfies HeaderLine]),
  ]
}
