import { defineMetric } from '#kernel'
import { providerHealth } from './provider-health.ts'

export const providerMetrics = [
  defineMetric({
    name: 'svc_provider_health',
    help: 'Registered providers by health: available, degraded, unavailable or unknown. None while the plugin providers is disabled.',
    type: 'gauge',
    labels: ['status'],
    uses: { providerHealth },
    async collect({ providerHealth }) {
      if (!providerHealth.isEnabled) return []
      const counts = { available: 0, degraded: 0, unavailable: 0, unknown: 0 }
      for (const { observation } of (await providerHealth.read()).judged) counts[observation.status] += 1
      return Object.entries(counts).map(([status, value]) => ({ labels: { status }, value }))
    },
  }),
  defineMetric({
    name: 'svc_provider_available',
    help: 'Whether an active and approved provider is available or degraded (1), or not (0), by its id in the registry.',
    type: 'gauge',
    labels: ['provider_id'],
    uses: { providerHealth },
    async collect({ providerHealth }) {
      if (!providerHealth.isEnabled) return []
      const { judged } = await providerHealth.read()
      return judged
        .filter(({ provider }) => provider.isActive && provider.isApproved)
        .map(({ provider, observation: { status } }) => ({
          labels: { provider_id: provider.providerId },
          value: status === 'available' || status === 'degraded' ? 1 : 0,
        }))
    },
  }),
]
