import type { IncomingHttpHeaders } from 'node:http'
import { defineErrors } from '../errors.ts'
import { isSameText } from './same-text.ts'

export const csrfErrors = defineErrors({
  csrf_required: { status: 403, message: "The X-Svc-CSRF header must carry the session's csrf_token." },
})

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Browsers attach cookies by themselves, so a cookie alone proves nothing about who wants the change. */
export function isUnsafeMethod(method: string): boolean {
  return !safeMethods.has(method)
}

/** True when the request carries the token that only pages of our own origin can know. */
export function hasCsrfToken(headers: IncomingHttpHeaders, csrfToken: string): boolean {
  const given = headers['x-svc-csrf']
  return typeof given === 'string' && isSameText(given, csrfToken)
}
