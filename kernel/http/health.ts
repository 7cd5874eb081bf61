import { defineExtensionPoint } from '../extension-point.ts'
import type { Resolved, Uses } from '../service.ts'

/** A part without which the process is unhealthy. Providers and RPC nodes are not such parts. */
export interface HealthCheck<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** Returns what is wrong, such as `cache: directory not found`, or undefined. A throw counts as wrong. */
  check(services: Resolved<U>, signal: AbortSignal): Promise<string | undefined>
}

export const healthChecks = defineExtensionPoint<HealthCheck>('health.checks')

export function defineHealthCheck<const U extends Uses>(spec: HealthCheck<U>): HealthCheck {
  return spec as unknown as HealthCheck
}
