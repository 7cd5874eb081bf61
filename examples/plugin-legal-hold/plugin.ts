import { configSections, dashboardUis, definePlugin } from 'svc/kernel'
import { bucketDetailParts } from 'svc/plugins/admin'
import { releaseGuards } from 'svc/plugins/storage'
import { legalHoldSection } from './settings.ts'

/** Example of a guard of cached bytes, a part of the details of buckets, and a part of the dashboard. */
export default definePlugin({
  id: 'legal-hold',
  requires: ['storage'],
  contributes: [
    configSections.with(legalHoldSection),
    releaseGuards.load(async () => (await import('./hold-guard.ts')).holdGuard),
    bucketDetailParts.load(async () => (await import('./hold-details.ts')).holdDetails),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
  ],
})
