import { configSections, definePlugin } from 'svc/kernel'
import { overviewParts, versionHealthParts } from 'svc/plugins/admin'
import { providerFactSources } from 'svc/plugins/providers'
import { regionsSection } from './settings.ts'

/** Example of facts about providers, a part of the overview, and the health of data sets. */
export default definePlugin({
  id: 'regions',
  requires: ['providers'],
  contributes: [
    configSections.with(regionsSection),
    providerFactSources.load(async () => (await import('./region-facts.ts')).regionFacts),
    overviewParts.load(async () => (await import('./region-views.ts')).regionOverview),
    versionHealthParts.load(async () => (await import('./region-views.ts')).regionHealth),
  ],
})
