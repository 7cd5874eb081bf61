import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionClaims } from './session-token.ts'
import type { OriginResolver } from './trusted-proxy.ts'

const cookieName = 'svc_admin_session'

/**
 * The value of a cookie of svc in a Cookie header. A browser sends one of ours; with several, another host of the domain has set some,
 * and none is trusted.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header?.split(';') ?? []).flatMap((pair) => {
    const equals = pair.indexOf('=')
    return pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}

/** The token of a session. */
export const readSessionCookie = (header: string | undefined): string | undefined => readCookie(header, cookieName)

interface CookieOptions {
  /** The browser connects over https. */
  readonly isSecure: boolean
  /** Makes the cookie persistent until this time. */
  readonly persist?: { readonly maxAgeSeconds: number; readonly expiresMs: number } | undefined
}

function writeSessionCookie(token: string, { isSecure, persist }: CookieOptions): string {
  const lifetime = persist ? [`Max-Age=${persist.maxAgeSeconds}`, `Expires=${new Date(persist.expiresMs).toUTCString()}`] : []
  return [`${cookieName}=${token}`, 'Path=/', ...lifetime, 'HttpOnly', ...(isSecure ? ['Secure'] : []), 'SameSite=Strict'].join('; ')
}

export function clearSessionCookie(isSecure: boolean): string {
  return writeSessionCookie('', { isSecure, persist: { maxAgeSeconds: 0, expiresMs: 0 } })
}

interface Cookies {
  readonly resolveOrigin: OriginResolver
}

export const isSecure = ({ resolveOrigin }: Cookies, request: FastifyRequest): boolean => resolveOrigin(request.raw).scheme === 'https'

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

interface Issued {
  readonly claims: SessionClaims
  readonly token: string
}

/** Signs the browser in. */
export function setSessionCookie(cookies: Cookies, { request, reply }: Exchange, { claims, token }: Issued): void {
  const { remember, issued_at, expires_at } = claims
  const persist = remember ? { maxAgeSeconds: expires_at - issued_at, expiresMs: expires_at * 1000 } : undefined
  reply.header('set-cookie', writeSessionCookie(token, { isSecure: isSecure(cookies, request), persist }))
}
