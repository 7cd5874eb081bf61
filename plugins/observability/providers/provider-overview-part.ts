import { defineOverviewPart } from '#plugins/admin'
import { toPage } from '../health/health-policy.ts'
import { providerHealth } from './provider-health.ts'

/** Counts the providers that should work: those that are neither registered as inactive nor missing on the approval list. */
export const providerOverviewPart = defineOverviewPart({
  name: 'providers',
  into: 'chain_storage_health',
  uses: { providerHealth },
  async summarise({ providerHealth }) {
    if (!providerHealth.isEnabled) return {}
    const { judged, time, readAtMs } = await providerHealth.read()
    const rows = judged
      .filter(({ provider }) => provider.isActive && provider.isApproved)
      .map(({ observation }) => ({ observation, show: () => undefined }))
    const { summary, summary_signal } = toPage(rows, {}, { ...time, emptyCheckedAtMs: readAtMs })
    return { providers: { summary, summary_signal } }
  },
})
