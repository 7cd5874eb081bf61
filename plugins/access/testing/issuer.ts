/** A small OpenID Connect provider that signs with node:crypto, and can return wrong answers. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** What the next answers say instead of the truth. */
interface Lies {
  metadata?: (honest: Record<string, unknown>) => unknown
  header?: (honest: Record<string, unknown>) => Record<string, unknown>
  claims?: (honest: Record<string, unknown>) => Record<string, unknown>
  /** Signs with this key, which may not be published. */
  key?: Key
  token?: (honest: string) => string
  /** Answers a path itself. */
  answer?: (path: string, response: ServerResponse) => boolean
}

export const newKey = (kid: string = randomUUID()): Key => ({
  kid,
  privateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

interface Grant {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
}

export interface Issuer extends AsyncDisposable {
  readonly url: string
  lies: Lies
  person: Record<string, unknown>
  /** Paths that were asked for. */
  readonly asked: string[]
  keys: Key[]
  /** Plays the browser at the provider: the address to which it sends the browser back. */
  approve(location: string, change?: (answer: URLSearchParams) => void): URL
}

/** Makes the provider approve every sign-in without a question: it redirects the browser back at once. */
export function agreeAtOnce({ lies, approve, url }: Issuer): void {
  lies.answer = (path, response) => {
    if (!path.startsWith('/authorize?')) return false
    response.writeHead(303, { location: approve(`${url}${path}`).href }).end()
    return true
  }
}

export async function startIssuer({ clientId = 'svc', clientSecret = 'a client secret' } = {}): Promise<Issuer> {
  const grants = new Map<string, Grant>()
  const asked: string[] = []
  const key = newKey()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    if (issuer.lies.answer?.(path, response)) return
    void route(path, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const json = (response: ServerResponse, status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function route(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path === '/.well-known/openid-configuration') return json(response, 200, metadata())
    if (path === '/jwks') return json(response, 200, { keys: issuer.keys.map(publish) })
    if (path === '/token') return redeem(request, response)
    return json(response, 404, {})
  }

  function metadata(): unknown {
    const honest = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
    }
    return issuer.lies.metadata?.(honest) ?? honest
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    const form = new URLSearchParams(body)
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    // RFC 6749, 2.3.1: both parts are encoded as in a form.
    const credentials = Buffer.from(/^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64').toString()
    const [id, secret] = credentials.split(':').map((part) => new URLSearchParams(`part=${part}`).get('part'))
    if (id !== clientId || secret !== clientSecret) return json(response, 401, { error: 'invalid_client' })
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    // A code is used once.
    grants.delete(code)
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return json(response, 400, { error: 'invalid_grant' })
    }
    json(response, 200, { access_token: 'an access token', token_type: 'Bearer', expires_in: 60, id_token: issueToken(grant) })
  }

  function issueToken({ nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000)
    const signer = issuer.lies.key ?? (issuer.keys.at(-1) as Key)
    const header = { alg: 'ES256', kid: signer.kid }
    const claims = { iss: url, aud: clientId, sub: 'subject-7', iat: now, exp: now + 60, nonce, ...issuer.person }
    const text = `${encode(issuer.lies.header?.(header) ?? header)}.${encode(issuer.lies.claims?.(claims) ?? claims)}`
    const honest = `${text}.${sign('sha256', Buffer.from(text), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    return issuer.lies.token ? issuer.lies.token(honest) : honest
  }

  const issuer: Issuer = {
    url,
    lies: {},
    person: { preferred_username: 'alice', groups: ['dev'] },
    asked,
    keys: [key],
    approve(location, change) {
      const { searchParams: given } = new URL(location)
      const code = randomUUID()
      grants.set(code, {
        nonce: given.get('nonce') ?? '',
        challenge: given.get('code_challenge') ?? '',
        redirectUri: given.get('redirect_uri') ?? '',
      })
      const back = new URL(given.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: given.get('state') ?? '', iss: url }).toString()
      change?.(back.searchParams)
      return back
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

const publish = ({ kid, privateKey }: Key) => ({ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' })
