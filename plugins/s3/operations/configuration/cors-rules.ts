/** Which rule of a bucket allows a request from a web page of another origin, and the headers that tell the browser. */
import type { CorsRule } from '../../documents/cors-configuration.ts'
import { S3Error } from '../../wire/s3-error.ts'
import { malformed } from '../../wire/xml-reader.ts'

const rulesMax = 100
const idLengthMax = 255
const methods: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])
/** What a rule may put into response headers. */
const headerText = /^[\x21-\x7e]+$/
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Throws MalformedXML or InvalidRequest. */
export function checkCorsRules(rules: readonly CorsRule[]): void {
  if (rules.length === 0) throw malformed('The element CORSConfiguration has no CORSRule.')
  if (rules.length > rulesMax) throw new S3Error('InvalidRequest', { message: `At most ${rulesMax} CORS rules are allowed.` })
  for (const rule of rules) checkRule(rule)
}

function checkRule({ id = '', origins, methods: allowed, headers, exposed }: CorsRule): void {
  if (origins.length === 0) throw malformed('A CORSRule has no AllowedOrigin.')
  if (allowed.length === 0) throw malformed('A CORSRule has no AllowedMethod.')
  if (id.length > idLengthMax) throw refused(`The ID of a CORS rule must not be longer than ${idLengthMax} characters.`)
  const unknown = allowed.find((method) => !methods.has(method))
  if (unknown !== undefined) throw refused(`Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`)
  for (const origin of origins) checkPattern('AllowedOrigin', origin, { form: headerText, wildcardsMax: 1 })
  for (const header of headers) checkPattern('AllowedHeader', header, { form: headerName, wildcardsMax: 1 })
  for (const header of exposed) checkPattern('ExposeHeader', header, { form: headerName, wildcardsMax: 0 })
}

function checkPattern(name: string, text: string, { form, wildcardsMax }: { readonly form: RegExp; readonly wildcardsMax: 0 | 1 }): void {
  if (!form.test(text)) throw refused(`${name} "${text}" is not valid.`)
  if (wildcards(text) > wildcardsMax)
    throw refused(`${name} "${text}" can not have ${wildcardsMax === 0 ? 'a' : 'more than one'} wildcard.`)
}

const wildcards = (text: string): number => text.split('*').length - 1
const refused = (message: string): S3Error => new S3Error('InvalidRequest', { message })

export interface CrossOriginRequest {
  readonly origin: string
  readonly method: string
  /** Headers that a preflight asks for. */
  readonly headers: readonly string[]
}

/** Headers of the response when a rule allows the request; the first rule that does counts. Undefined when none does. */
export function allowCrossOrigin(rules: readonly CorsRule[], request: CrossOriginRequest): Record<string, string> | undefined {
  for (const rule of rules) {
    const origin = rule.origins.find((pattern) => matches(pattern, request.origin))
    if (origin === undefined || !rule.methods.includes(request.method)) continue
    if (request.headers.every((name) => rule.headers.some((pattern) => matches(pattern.toLowerCase(), name.toLowerCase())))) {
      return headersOf(rule, request, origin)
    }
  }
  return undefined
}

function headersOf({ methods, exposed, maxAgeSeconds }: CorsRule, { origin, headers }: CrossOriginRequest, pattern: string) {
  const isPublic = pattern === '*'
  return {
    'access-control-allow-origin': isPublic ? '*' : origin,
    'access-control-allow-methods': methods.join(', '),
    ...(headers.length > 0 && { 'access-control-allow-headers': headers.join(', ') }),
    ...(exposed.length > 0 && { 'access-control-expose-headers': exposed.join(', ') }),
    ...(maxAgeSeconds !== undefined && { 'access-control-max-age': String(maxAgeSeconds) }),
    ...(!isPublic && { 'access-control-allow-credentials': 'true' }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
}

/** `pattern` has at most one asterisk, which stands for any text. */
function matches(pattern: string, text: string): boolean {
  const at = pattern.indexOf('*')
  if (at < 0) return pattern === text
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)]
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end)
}
