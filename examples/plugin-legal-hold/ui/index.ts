import { definePluginUi, go } from 'svc/ui-kit'
import { HoldAction } from './hold-action.tsx'
import { HoldCard } from './hold-card.tsx'
import { HoldTab } from './hold-tab.tsx'
import { BucketHoldPage, LegalHoldsPage } from './legal-holds-page.tsx'

/** Uses everything that a plugin can add to the dashboard. */
export default definePluginUi({
  nav: [{ to: '/legal-holds', label: 'Legal holds', icon: 'lock', order: 50, group: 'Storage', key: 'h' }],
  pages: [
    { path: '/legal-holds', title: 'Legal holds', component: LegalHoldsPage },
    { path: '/legal-holds/:bucket', title: 'Legal hold of a bucket', component: BucketHoldPage },
  ],
  commands: [{ label: 'Show legal holds', icon: 'lock', keywords: 'retention', run: () => go('/legal-holds') }],
  cards: [{ id: 'legal-hold', order: 90, span: 4, component: HoldCard }],
  bucketTabs: [{ id: 'legal-hold', label: 'Legal hold', order: 90, component: HoldTab }],
  providerActions: [{ id: 'legal-hold', order: 90, component: HoldAction }],
})
