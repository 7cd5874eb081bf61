import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Resolved, Uses } from '../core/service.ts'

/** A check of a component that the process needs. Providers and RPC nodes do not count. */
export interface HealthCheck<U extends Uses = Uses> {
  readonly name: string
  readonly uses: U
  /** The problem when the check throws or exceeds its time. Default: `<name>: not responding`. */
  readonly otherwise?: string
  /** Returns the problem, such as `cache: directory not found`, or undefined. */
  check(services: Resolved<U>, signal: AbortSignal): Promise<string | undefined>
}

export const healthChecks = defineExtensionPoint<HealthCheck>('health.checks')

export const defineHealthCheck = <const U extends Uses>(spec: HealthCheck<U>): HealthCheck => spec
