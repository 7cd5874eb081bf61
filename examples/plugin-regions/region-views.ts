import { defineOverviewPart, defineVersionHealthPart, type ObservedHealth } from 'svc/plugins/admin'
import { providerFacts } from 'svc/plugins/providers'
import { regionsSection } from './settings.ts'

/** Adds the number of known providers in each region to the overview. */
export const regionOverview = defineOverviewPart({
  name: 'regions',
  into: 'provider_regions',
  uses: { settings: regionsSection.settings },
  summarise({ settings }) {
    const groups = Map.groupBy(settings.providers, (entry) => entry.slice(entry.indexOf('=') + 1))
    return Object.fromEntries([...groups].map(([region, { length }]) => [region, length]))
  },
})

/** Copies at providers that were blocked later can still be read, and should be moved. */
export const regionHealth = defineVersionHealthPart({
  name: 'regions',
  uses: { providerFacts },
  observe: ({ providerFacts }, dataSets) =>
    new Map(
      dataSets.flatMap(({ id, providerId }): readonly [number, ObservedHealth][] => {
        const { blocked } = providerFacts.of(providerId)
        return blocked === undefined ? [] : [[id, { status: 'degraded', reasonCodes: ['provider_blocked'], lastError: blocked }]]
      }),
    ),
})
