import { defineProviderFactSource } from 'svc/plugins/providers'
import { regionOf } from './region-of.ts'
import { regionsSection } from './settings.ts'

/** The region of a provider decides whether it gets new data sets. */
export const regionFacts = defineProviderFactSource({
  name: 'regions',
  uses: { settings: regionsSection.settings },
  of({ settings }, providerId) {
    const region = regionOf(settings.providers, providerId)
    if (region === undefined) return undefined
    return {
      region,
      preference: region === settings.preferred ? 1 : 0,
      ...(settings.blocked.includes(region) ? { blocked: `the region ${region} is blocked` } : {}),
    }
  },
})
