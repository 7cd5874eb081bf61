import type { Reader } from '#kernel'
import { type CacheState, checkInvariants as checkStorage, findingsOf, toMessage } from '../../storage/testing/check-invariants.ts'
import { ruleChecks } from '../doctor/checks.ts'

/** Checks an idle database. Returns a message per finding of `svc doctor`; empty when all invariants hold. */
export async function checkInvariants(read: Reader, state: CacheState = {}): Promise<string[]> {
  const problems = await checkStorage(read, state)
  for (const check of ruleChecks) problems.push(...(await findingsOf(check, read)).map(toMessage))
  return problems
}
