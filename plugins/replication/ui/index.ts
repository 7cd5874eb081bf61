import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { ConfirmationsBadge } from './confirmations/confirmations-badge.tsx'
import { ConfirmationsPage } from './confirmations/confirmations-page.tsx'
import { RaiseTab } from './raises/raise-tab.tsx'
import { BucketsRiskPage } from './risk/buckets-risk-page.tsx'
import { RiskPage } from './risk/risk-page.tsx'

const provenance = ['GET /buckets/:name/objects/provenance', 'GET /buckets/:name/objects/status-detail'] as const
/** A list of objects shows the copies of each: an event must not ask for all of them. */
const provenanceOfVersion = provenance.map((route) => ({ route, by: 'version_id' }))

export default definePluginUi({
  nav: [
    { to: '/storage-risk', label: 'Storage risk', icon: 'shield-alert', order: 30, group: 'Storage' },
    {
      to: '/storage-confirmations',
      label: 'Confirmations',
      icon: 'hourglass',
      order: 35,
      group: 'Storage',
      badge: ConfirmationsBadge,
    },
  ],
  pages: [
    { path: '/storage-risk', title: 'Storage risk', component: BucketsRiskPage },
    { path: '/buckets/:name/risk', title: 'Storage risk', component: RiskPage },
    { path: '/storage-confirmations', title: 'Storage confirmations', component: ConfirmationsPage },
  ],
  bucketTabs: [{ id: 'raise', label: 'Raise copies', order: 42, component: RaiseTab }],
  eventTopics: {
    storage_confirmation_updated: ['GET /storage-confirmations', ...provenance],
    upload_state_changed: [...provenanceOfVersion, 'GET /buckets/:name/storage-health/affected-versions', 'GET /buckets'],
    bucket_updated: ['GET /buckets/:name/storage-health/affected-versions', 'GET /buckets/:name/copies/raise'],
  },
})
