import { type HealthTime, isStale } from '../health/health-policy.ts'
import type { JudgedProvider } from '../providers/provider-health.ts'

/** The tested URL, or why the provider is not tested. A test uploads to available providers only, by a recent check. */
export function judgeEligible(
  { provider, observation }: Pick<JudgedProvider, 'provider' | 'observation'>,
  time: HealthTime,
): { readonly serviceUrl: string } | { readonly refusal: string } {
  const { serviceUrl, hasPdp, isActive } = provider
  const { status, reasonCodes, checkedAtMs } = observation
  if (status !== 'available') return { refusal: `the provider is ${[status, ...reasonCodes].join(', ')}` }
  if (checkedAtMs === null || isStale(checkedAtMs, time)) return { refusal: 'the last check of the provider is too old; refresh the list' }
  if (!isActive || hasPdp !== true) return { refusal: 'the provider is not active, or offers no storage with proofs' }
  return serviceUrl === null ? { refusal: 'the provider has no service URL' } : { serviceUrl }
}
