const cookieName = 'svc_admin_session'

/** The token in a Cookie header; the first one where a client sends several. */
export function readSessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() === cookieName) return pair.slice(equals + 1).trim()
  }
  return undefined
}

export interface CookieOptions {
  /** The browser reaches us over https. */
  readonly isSecure: boolean
  /** Keeps the cookie beyond the browser's run, until this moment. */
  readonly persist?: { readonly maxAgeSeconds: number; readonly expiresMs: number } | undefined
}

export function writeSessionCookie(token: string, { isSecure, persist }: CookieOptions): string {
  const lifetime = persist ? [`Max-Age=${persist.maxAgeSeconds}`, `Expires=${new Date(persist.expiresMs).toUTCString()}`] : []
  return [`${cookieName}=${token}`, 'Path=/', ...lifetime, 'HttpOnly', ...(isSecure ? ['Secure'] : []), 'SameSite=Strict'].join('; ')
}

/** Makes the browser forget the session. */
export function clearSessionCookie(isSecure: boolean): string {
  return writeSessionCookie('', { isSecure, persist: { maxAgeSeconds: 0, expiresMs: 0 } })
}
