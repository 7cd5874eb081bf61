/** Who a person is, by the claims of the ID token. */
import { highestRole, type Role } from '#kernel/system'

interface ClaimSettings {
  readonly username_claim: string
  readonly role_claim: string
  readonly admins: readonly string[]
  readonly operators: readonly string[]
  readonly readers: readonly string[]
}

type Claims = Readonly<Record<string, unknown>>

const nameCharsMax = 128
/** Longer lists are cut: the settings name few values. */
const valuesMax = 1000

/** Returns undefined when no value of the claim has a role. */
export function roleOf(claims: Claims, settings: ClaimSettings): Role | undefined {
  const values = textsOf(claimAt(claims, settings.role_claim))
  const holds = (wanted: readonly string[]) => wanted.some((value) => values.includes(value))
  return highestRole([
    ...(holds(settings.admins) ? (['admin'] as const) : []),
    ...(holds(settings.operators) ? (['operator'] as const) : []),
    ...(holds(settings.readers) ? (['read-only'] as const) : []),
  ])
}

/** The prefix keeps it apart from the local admin, also in the audit log. */
export function usernameOf(claims: Claims & { readonly sub: string }, { username_claim }: Pick<ClaimSettings, 'username_claim'>): string {
  const claimed = claimAt(claims, username_claim)
  const name = typeof claimed === 'string' && claimed.trim() !== '' ? claimed.trim() : claims.sub
  return `oidc:${name.slice(0, nameCharsMax)}`
}

/** The claim of this name, else a member of nested objects. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined
    value = (value as Claims)[part]
  }
  return value
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.slice(0, valuesMax).filter((one) => typeof one === 'string') : []
}
