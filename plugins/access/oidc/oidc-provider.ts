/** The identity provider: its metadata, the way to it, and the proof of who came back. */
import { createHash } from 'node:crypto'
import type * as OAuth from 'oauth4webapi'
import { type Clock, type SettingValues, singleFlight } from '#kernel'
import type { Role } from '#kernel/system'
import { boundedFetch, ProviderUnreachable } from './bounded-fetch.ts'
import type { oidcSection } from './oidc-settings.ts'
import type { PendingSignIn } from './pending-sign-in.ts'
import { roleOf, usernameOf } from './person-policy.ts'
import { isLoopbackUrl } from './safe-url-policy.ts'

export type OidcSettings = SettingValues<typeof oidcSection.keys>

/** Time in ms after which the metadata of the provider is read again. */
const metadataMs = 10 * 60_000
/** Accepted difference of the clocks, in seconds. */
const toleranceSeconds = 60

export interface Person {
  readonly username: string
  /** Is undefined for a person who signed in, but without a value of the claim that has a role. */
  readonly role: Role | undefined
}

export class OidcProvider {
  readonly #settings: OidcSettings
  readonly #clock: Pick<Clock, 'now'>
  #metadata: { readonly server: OAuth.AuthorizationServer; readonly readAtMs: number } | undefined
  readonly #discover = singleFlight(() => this.#readMetadata())

  constructor(settings: OidcSettings, clock: Pick<Clock, 'now'>) {
    this.#settings = settings
    this.#clock = clock
  }

  /** Changes with every setting that decides who is who: then all sessions of people end. */
  get realm(): string {
    const { issuer, client_id, username_claim, role_claim, admins, operators, readers } = this.#settings
    const text = JSON.stringify([issuer, client_id, username_claim, role_claim, admins, operators, readers])
    return createHash('sha256').update(text).digest('base64url')
  }

  get redirectUri(): string {
    return new URL('/api/v1/auth/oidc/callback', this.#settings.public_url).href
  }

  /** A new sign-in, and the address at the provider where it continues. */
  async begin(): Promise<{ readonly location: string; readonly pending: Pick<PendingSignIn, 'state' | 'nonce' | 'verifier'> }> {
    const oauth = await import('oauth4webapi')
    const server = await this.#server()
    if (server.authorization_endpoint === undefined)
      throw new ProviderUnreachable(`${this.#settings.issuer} names no authorization endpoint`)
    const [state, nonce, verifier] = [oauth.generateRandomState(), oauth.generateRandomNonce(), oauth.generateRandomCodeVerifier()]
    const location = new URL(server.authorization_endpoint)
    const parameters = {
      client_id: this.#settings.client_id,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: [...new Set(['openid', ...this.#settings.scopes])].join(' '),
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
    return { location: location.href, pending: { state, nonce, verifier } }
  }

  /** Throws unless the answer belongs to this sign-in and its ID token is of this provider, for this client, fresh and signed. */
  async finish(answer: URLSearchParams, { state, nonce, verifier }: PendingSignIn): Promise<Person> {
    const oauth = await import('oauth4webapi')
    // A copy: the library keeps the keys of the provider with the object, and each sign-in reads them anew, so that a rotation counts at once.
    const server = { ...(await this.#server()) }
    const client: OAuth.Client = { client_id: this.#settings.client_id, [oauth.clockTolerance]: toleranceSeconds }
    const options = this.#options(oauth)
    const authentication = authenticateClient(oauth, server, this.#settings.client_secret)
    const callback = oauth.validateAuthResponse(server, client, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      callback,
      this.redirectUri,
      verifier,
      options,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce, requireIdToken: true })
    await oauth.validateApplicationLevelSignature(server, response, options)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (!claims) throw new Error('the provider sent no ID token')
    return { username: usernameOf(claims, this.#settings), role: roleOf(claims, this.#settings) }
  }

  async #server(): Promise<OAuth.AuthorizationServer> {
    const { server, readAtMs } = this.#metadata ?? {}
    const ageMs = this.#clock.now() - (readAtMs ?? 0)
    return server && ageMs >= 0 && ageMs < metadataMs ? server : this.#discover()
  }

  async #readMetadata(): Promise<OAuth.AuthorizationServer> {
    const oauth = await import('oauth4webapi')
    const issuer = new URL(this.#settings.issuer)
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#options(oauth) })
    const server = await oauth.processDiscoveryResponse(issuer, response)
    this.#metadata = { server, readAtMs: this.#clock.now() }
    return server
  }

  #options({ customFetch, allowInsecureRequests }: typeof OAuth) {
    // The endpoints that the provider names must be https too, unless the provider itself is on this machine.
    return { [customFetch]: boundedFetch, [allowInsecureRequests]: isLoopbackUrl(this.#settings.issuer) } as const
  }
}

/** RFC 8414: a provider that names no methods takes the secret in a Basic header. */
function authenticateClient(oauth: typeof OAuth, server: OAuth.AuthorizationServer, secret: string): OAuth.ClientAuth {
  if (secret === '') return oauth.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic') ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}
