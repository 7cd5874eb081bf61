/** Sign-in at an identity provider, with a provider that tells the truth, and with one that lies. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#kernel/host'
import { type TestKernel, testKernel, testOperator } from '#kernel/testing'
import { accessPlugin } from '../plugin.ts'
import { type Issuer, newKey, startIssuer } from '../testing/issuer.ts'
import { providerLimits } from './bounded-fetch.ts'

const publicUrl = 'https://svc.example.com'
const clientSecret = 'a client secret: 100 % + more'

interface Scene extends AsyncDisposable {
  readonly svc: TestKernel
  readonly issuer: Issuer
  readonly lines: string[]
  /** Begins a sign-in in a new browser. */
  begin(returnTo?: string): Promise<{ readonly location: string; readonly cookie: string }>
  /** Comes back from the provider. */
  finish(back: URL, cookie: string): Promise<{ readonly to: string | null; readonly session: string }>
  signIn(change?: (answer: URLSearchParams) => void): Promise<{ readonly to: string | null; readonly session: string }>
}

async function setUp(config: Record<string, string | readonly string[]> = {}): Promise<Scene> {
  await using stack = new AsyncDisposableStack()
  const issuer = stack.use(await startIssuer({ clientSecret }))
  const lines: string[] = []
  const svc = await testKernel({
    plugins: [accessPlugin],
    log: createLog({ level: 'info', format: 'json', secrets: [], write: (line) => lines.push(line) }),
    config: {
      'admin.oidc.issuer': issuer.url,
      'admin.oidc.client_id': 'svc',
      'admin.oidc.client_secret': clientSecret,
      'admin.oidc.public_url': publicUrl,
      'admin.oidc.admins': ['ops'],
      'admin.oidc.operators': ['dev'],
      'admin.oidc.readers': ['all'],
      ...config,
    },
  })
  stack.defer(() => svc.stop())
  const visit = (path: string, cookie = 'none=1') => fetch(`${svc.url}${path}`, { redirect: 'manual', headers: { cookie } })
  const cookieOf = (answer: Response, name: string) =>
    answer.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0] ?? '')
      .find((pair) => pair.startsWith(`${name}=`)) ?? ''
  const scene = {
    svc,
    issuer,
    lines,
    async begin(returnTo = '/buckets') {
      const answer = await visit(`/api/v1/auth/oidc/start?return_to=${encodeURIComponent(returnTo)}`)
      expect(answer.status).toBe(303)
      return { location: answer.headers.get('location') ?? '', cookie: cookieOf(answer, 'svc_oidc') }
    },
    async finish(back: URL, cookie: string) {
      const answer = await visit(`${back.pathname}${back.search}`, cookie)
      return { to: answer.headers.get('location'), session: cookieOf(answer, 'svc_admin_session') }
    },
    async signIn(change?: (answer: URLSearchParams) => void) {
      const { location, cookie } = await scene.begin()
      return scene.finish(issuer.approve(location, change), cookie)
    },
  }
  const moved = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

const refused = { to: '/?sign_in=refused', session: '' }

test('a person signs in with the role of the claim, returns to the page, and is in the audit log', async () => {
  await using scene = await setUp()
  const { location, cookie } = await scene.begin('/buckets/photos?prefix=a')
  const asked = new URL(location)
  expect(asked.origin + asked.pathname).toBe(`${scene.issuer.url}/authorize`)
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    client_id: 'svc',
    redirect_uri: `${publicUrl}/api/v1/auth/oidc/callback`,
    response_type: 'code',
    scope: 'openid profile email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  const { to, session } = await scene.finish(scene.issuer.approve(location), cookie)
  expect(to).toBe('/buckets/photos?prefix=a')
  const shown = await scene.svc.fetch('/api/v1/auth/session', { headers: { cookie: session } }).then((answer) => answer.json())
  expect(shown).toMatchObject({ username: 'oidc:alice', role: 'operator' })
  expect((await scene.svc.fetch('/api/v1/audit', { headers: { cookie: session } })).status).toBe(403)
  const { body } = await scene.svc.call('GET', '/api/v1/audit?who=oidc:alice&what=sign_in')
  expect(body.lines).toEqual([expect.objectContaining({ outcome: 'done', how: 'external', client: '127.0.0.1' })])
})

test('the cookies are bound to the browser, https and the way of the sign-in', async () => {
  await using scene = await setUp()
  const start = await fetch(`${scene.svc.url}/api/v1/auth/oidc/start`, { redirect: 'manual' })
  expect(start.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^svc_oidc=[\w-]+; Path=\/api\/v1\/auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
  ])
  expect(start.headers.get('cache-control')).toBe('no-store')
})

test.each([
  ['admin', ['all', 'ops'], 200],
  ['read-only', ['all'], 403],
])('the role %s counts for every route', async (_role, groups, status) => {
  await using scene = await setUp()
  scene.issuer.person = { groups }
  const { session } = await scene.signIn()
  expect((await scene.svc.fetch('/api/v1/audit', { headers: { cookie: session } })).status).toBe(status)
})

test('a person without a role is refused by name', async () => {
  await using scene = await setUp()
  scene.issuer.person = { preferred_username: 'mallory', groups: ['guests'] }
  expect(await scene.signIn()).toEqual({ to: '/?sign_in=no_role', session: '' })
  const { body } = await scene.svc.call('GET', '/api/v1/audit?who=oidc:mallory')
  expect(body.lines).toEqual([expect.objectContaining({ what: 'sign_in', outcome: 'refused' })])
})

test('an answer is used once, and only by the browser that began the sign-in', async () => {
  await using scene = await setUp()
  const mine = await scene.begin()
  const other = await scene.begin()
  const back = scene.issuer.approve(mine.location)
  // Another browser, and one without a cookie.
  expect(await scene.finish(back, other.cookie)).toEqual(refused)
  expect((await scene.finish(back, 'none=1')).to).toBe('/?sign_in=expired')
  expect((await scene.finish(back, `${mine.cookie}; ${mine.cookie}`)).to).toBe('/?sign_in=expired')
  expect((await scene.finish(back, mine.cookie)).session).not.toBe('')
  expect(await scene.finish(back, mine.cookie)).toEqual({ to: '/?sign_in=expired', session: '' })
})

test('a callback without a cookie writes no audit line; one with a wrong cookie does', async () => {
  await using scene = await setUp()
  const back = new URL(`${publicUrl}/api/v1/auth/oidc/callback?code=a&state=b`)
  expect(await scene.finish(back, 'none=1')).toEqual({ to: '/?sign_in=expired', session: '' })
  const external = async () => {
    const { body } = await scene.svc.call('GET', '/api/v1/audit?what=sign_in')
    return body.lines.filter(({ how }: { readonly how: string }) => how === 'external')
  }
  expect(await external()).toEqual([])
  await scene.finish(back, 'svc_oidc=guessed')
  expect(await external()).toEqual([expect.objectContaining({ outcome: 'refused' })])
})

const now = () => Math.floor(Date.now() / 1000)

describe('lies', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await setUp()
  })
  afterEach(() => {
    scene.issuer.lies = {}
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test.each<[string, (answer: URLSearchParams) => void]>([
    ['the state of another sign-in', (answer) => answer.set('state', 'x'.repeat(43))],
    ['no state', (answer) => answer.delete('state')],
    ['two states', (answer) => answer.append('state', 'x')],
    ['no code', (answer) => answer.delete('code')],
    ['a code that was never given', (answer) => answer.set('code', 'guessed')],
    ['another issuer (mix-up)', (answer) => answer.set('iss', 'https://evil.example')],
    ['no issuer although the provider promises one', (answer) => answer.delete('iss')],
    ['a token in the address', (answer) => answer.set('id_token', 'a.b.c')],
    ['an error', (answer) => answer.set('error', 'server_error')],
  ])('an answer with %s signs nobody in', async (_what, change) => {
    expect(await scene.signIn(change)).toEqual(refused)
  })

  test('a person who cancels is told so', async () => {
    expect((await scene.signIn((answer) => answer.set('error', 'access_denied'))).to).toBe('/?sign_in=cancelled')
  })

  test.each<[string, (issuer: Issuer) => void]>([
    [
      'another nonce',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, nonce: 'old' }) }
      },
    ],
    [
      'no nonce',
      (issuer) => {
        issuer.lies = { claims: ({ nonce: _, ...claims }) => claims }
      },
    ],
    [
      'another audience',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, aud: 'other' }) }
      },
    ],
    [
      'many audiences for another client',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, aud: ['svc', 'other'], azp: 'other' }) }
      },
    ],
    [
      'another issuer',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }
      },
    ],
    [
      'an expired time',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, exp: now() - 120 }) }
      },
    ],
    [
      'a time that has not come',
      (issuer) => {
        issuer.lies = { claims: (claims) => ({ ...claims, nbf: now() + 120 }) }
      },
    ],
    [
      'no subject',
      (issuer) => {
        issuer.lies = { claims: ({ sub: _, ...claims }) => claims }
      },
    ],
    [
      'no signature',
      (issuer) => {
        issuer.lies = { header: (header) => ({ ...header, alg: 'none' }), token: (token) => token.replace(/[^.]+$/, '') }
      },
    ],
    [
      'an unknown key',
      (issuer) => {
        issuer.lies = { key: newKey() }
      },
    ],
    [
      'the id of a known key and another signature',
      (issuer) => {
        issuer.lies = { key: newKey(issuer.keys[0]?.kid) }
      },
    ],
    [
      'changed claims',
      (issuer) => {
        issuer.lies = {
          token: (token) => {
            const [head, , tail] = token.split('.')
            return `${head}.${Buffer.from('{"groups":["ops"]}').toString('base64url')}.${tail}`
          },
        }
      },
    ],
    [
      'a signature with the client secret',
      (issuer) => {
        issuer.lies = {
          header: () => ({ alg: 'HS256' }),
          token: (token) => {
            const text = token.split('.').slice(0, 2).join('.')
            return `${text}.${createHmac('sha256', clientSecret).update(text).digest('base64url')}`
          },
        }
      },
    ],
    [
      'no ID token',
      (issuer) => {
        issuer.lies = { token: () => undefined as never }
      },
    ],
  ])('an ID token with %s signs nobody in', async (_what, lie) => {
    lie(scene.issuer)
    expect(await scene.signIn()).toEqual(refused)
  })
})

test('clocks may differ by a minute', async () => {
  await using scene = await setUp()
  scene.issuer.lies = { claims: (claims) => ({ ...claims, iat: now() + 30, nbf: now() + 30, exp: now() - 30 }) }
  expect((await scene.signIn()).session).not.toBe('')
})

test('a key that was rotated counts at once, and the old one no longer', async () => {
  await using scene = await setUp()
  expect((await scene.signIn()).session).not.toBe('')
  const [old] = scene.issuer.keys
  scene.issuer.keys = [newKey()]
  expect((await scene.signIn()).session).not.toBe('')
  scene.issuer.lies = old ? { key: old } : {}
  expect(await scene.signIn()).toEqual(refused)
})

test.each<[string, Issuer['lies']]>([
  ['names another issuer', { metadata: (honest) => ({ ...honest, issuer: 'https://evil.example' }) }],
  ['names no way to sign in', { metadata: ({ authorization_endpoint: _, ...honest }) => honest }],
  ['is no object', { metadata: () => [] }],
])('metadata that %s is refused at the start', async (_what, lies) => {
  await using scene = await setUp()
  scene.issuer.lies = lies
  const answer = await fetch(`${scene.svc.url}/api/v1/auth/oidc/start`, { redirect: 'manual' })
  expect(answer.headers.get('location')).toMatch(/^\/\?sign_in=(refused|unreachable)$/)
})

test.each<[string, NonNullable<Issuer['lies']['answer']>]>([
  ['cuts the connection', (_path, response) => !response.socket?.destroy() || true],
  [
    'sends without end',
    (_path, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const part = Buffer.alloc(64 * 1024, ' ')
      const more = () => void (response.destroyed || response.write(part, more))
      more()
      return true
    },
  ],
  [
    'redirects to another place',
    (_path, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      return true
    },
  ],
  [
    'answers with an error page',
    (_path, response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>no</h1>')
      return true
    },
  ],
])('a provider that %s leaves the local admin working', async (_what, answer) => {
  await using scene = await setUp()
  const { location, cookie } = await scene.begin()
  const back = scene.issuer.approve(location)
  scene.issuer.lies = { answer }
  const { to, session } = await scene.finish(back, cookie)
  expect([to === '/?sign_in=unreachable' || to === '/?sign_in=refused', session]).toEqual([true, ''])
  const login = await fetch(`${scene.svc.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(testOperator),
  })
  expect(login.status).toBe(200)
  expect(providerLimits.requestMs).toBeLessThan(60_000)
})

test('the metadata is read once for many sign-ins', async () => {
  await using scene = await setUp()
  await Promise.all([scene.signIn(), scene.signIn(), scene.signIn()])
  expect(scene.issuer.asked.filter((path) => path.startsWith('/.well-known'))).toHaveLength(1)
})

test('I-10: no log line has the secret, a code, a token or a state', async () => {
  await using scene = await setUp()
  const begun = await scene.begin()
  const back = scene.issuer.approve(begun.location)
  await scene.finish(back, begun.cookie)
  scene.issuer.lies = { claims: (claims) => ({ ...claims, aud: 'other' }) }
  await scene.signIn()
  const log = scene.lines.join('\n')
  expect(log).toContain('a sign-in at the identity provider failed')
  for (const secret of [clientSecret, back.searchParams.get('code'), back.searchParams.get('state'), 'an access token', 'eyJ'])
    expect(log).not.toContain(secret)
})

test('without an issuer it is off: the addresses say so and the sign-in page offers nothing', async () => {
  await using svc = await testKernel({ plugins: [accessPlugin] })
  for (const path of ['start', 'callback?code=a&state=b']) {
    const answer = await fetch(`${svc.url}/api/v1/auth/oidc/${path}`, { redirect: 'manual' })
    expect([answer.status, ((await answer.json()) as { readonly code: string }).code]).toEqual([404, 'oidc_off'])
  }
  expect(await fetch(`${svc.url}/api/v1/auth/methods`).then((answer) => answer.json())).toEqual({ second_factor: false, external: [] })
})

test('with an issuer the sign-in page offers it by its name', async () => {
  await using scene = await setUp({ 'admin.oidc.label': 'Example SSO' })
  expect(await fetch(`${scene.svc.url}/api/v1/auth/methods`).then((answer) => answer.json())).toEqual({
    second_factor: false,
    external: [{ label: 'Example SSO', path: '/api/v1/auth/oidc/start' }],
  })
})

test('a public client sends no secret', async () => {
  await using scene = await setUp({ 'admin.oidc.client_secret': '' })
  expect(await scene.signIn()).toEqual(refused)
})
