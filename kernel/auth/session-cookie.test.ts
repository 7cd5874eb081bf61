import { expect, test } from 'vitest'
import { readCookie, readSessionCookie } from './session-cookie.ts'

test.each([
  ['svc_admin_session=a.b', 'a.b'],
  ['theme=dark; svc_admin_session=a.b; other=1', 'a.b'],
  ['svc_admin_session=', ''],
  ['xsvc_admin_session=a; svc_admin_session2=b', undefined],
  ['svc_admin_session=a.b; svc_admin_session=c.d', undefined],
  ['svc_admin_session=a.b; theme=dark; svc_admin_session=a.b', undefined],
  ['', undefined],
  [undefined, undefined],
])('the Cookie header %j contains the token %j', (header, token) => {
  expect(readSessionCookie(header)).toBe(token)
})

test('another cookie of svc is read by its name, and the session is not', () => {
  expect(readCookie('svc_admin_session=a.b; svc_oidc=c', 'svc_oidc')).toBe('c')
})
