import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { ConfirmationsBadge } from './confirmations/confirmations-badge.tsx'
import { ConfirmationsPage } from './confirmations/confirmations-page.tsx'
import { RaiseTab } from './raises/raise-tab.tsx'
import { BucketsRiskPage } from './risk/buckets-risk-page.tsx'
import { RiskPage } from './risk/risk-page.tsx'
import { BucketShortfallTab } from './shortfall/bucket-shortfall-tab.tsx'
import { CausesCard } from './shortfall/causes-card.tsx'
import { ShortfallPage } from './shortfall/shortfall-page.tsx'
import { StuckBadge } from './shortfall/stuck-badge.tsx'

const provenance = ['GET /buckets/:name/objects/provenance', 'GET /buckets/:name/objects/status-detail'] as const
/** A list of objects shows the copies of each: an event must not ask for all of them. */
const provenanceOfVersion = provenance.map((route) => ({ route, by: 'version_id' }))

const shortfall = ['GET /below-target', 'GET /below-target/causes']

export default definePluginUi({
  nav: [
    { to: '/below-target', label: 'Below target', icon: 'layers', order: 29, group: 'Storage', badge: StuckBadge },
    { to: '/storage-risk', label: 'Storage risk', icon: 'shield-alert', order: 30, group: 'Storage', needs: 'observability' },
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
    { path: '/below-target', title: 'Below target', component: ShortfallPage },
    { path: '/storage-risk', title: 'Storage risk', component: BucketsRiskPage },
    { path: '/buckets/:name/risk', title: 'Storage risk', component: RiskPage },
    { path: '/storage-confirmations', title: 'Storage confirmations', component: ConfirmationsPage },
  ],
  cards: [{ id: 'causes', order: 5, span: 12, component: CausesCard }],
  bucketTabs: [
    { id: 'below-target', label: 'Below target', order: 15, component: BucketShortfallTab },
    { id: 'raise', label: 'Raise copies', order: 42, component: RaiseTab },
  ],
  commands: [{ label: 'Objects with too few copies', keywords: 'stuck waiting below target copies', icon: 'layers', to: '/below-target' }],
  eventTopics: {
    task_updated: shortfall,
    storage_confirmation_updated: ['GET /storage-confirmations', ...provenance],
    upload_state_changed: [...shortfall, ...provenanceOfVersion, 'GET /buckets/:name/storage-health/affected-versions', 'GET /buckets'],
    bucket_updated: ['GET /buckets/:name/storage-health/affected-versions', 'GET /buckets/:name/copies/raise'],
  },
})
