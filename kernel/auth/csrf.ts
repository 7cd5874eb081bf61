import type { IncomingHttpHeaders } from 'node:http'
import { defineErrors } from '../errors.ts'
import { isSameText } from './same-text.ts'

export const csrfErrors = defineErrors({
  csrf_required: { status: 403, message: "The X-Svc-CSRF header must carry the session's csrf_token." },
})

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Browsers attach cookies automatically, so a cookie does not prove that the dashboard made the request. */
export function isUnsafeMethod(method: string): boolean {
  return !safeMethods.has(method)
}

/** Whether the request has the token that only pages of this origin can read. */
export function hasCsrfToken(headers: IncomingHttpHeaders, csrfToken: string): boolean {
  const given = headers['x-svc-csrf']
  return typeof given === 'string' && isSameText(given, csrfToken)
}
