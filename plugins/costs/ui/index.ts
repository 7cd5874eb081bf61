import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { CostPage } from './page/cost-page.tsx'
import { BucketCostTab } from './parts/bucket-cost-tab.tsx'
import { CostCard } from './parts/cost-card.tsx'
import { SpendingCard } from './parts/spending-card.tsx'
import { EstimatedPrice } from './price/estimated-price.tsx'
import { VersionCostCard } from './version/version-cost-card.tsx'

export default definePluginUi({
  nav: [{ to: '/costs', label: 'Costs', icon: 'receipt', order: 55, group: 'Service', key: 'c' }],
  pages: [{ path: '/costs', title: 'Costs', component: CostPage }],
  commands: [
    { label: 'Estimate a price', keywords: 'cost upload bucket', icon: 'coins', to: '/costs' },
    { label: 'Download receipts', keywords: 'invoice payment csv', icon: 'receipt', to: '/costs' },
  ],
  cards: [{ id: 'cost', order: 20, span: 12, component: CostCard }],
  walletCards: [{ id: 'spending', order: 10, component: SpendingCard }],
  bucketTabs: [{ id: 'cost', label: 'Cost', order: 50, component: BucketCostTab }],
  versionCards: [{ id: 'cost', order: 10, component: VersionCostCard }],
  actionPrices: [{ id: 'costs', order: 10, refusals: ['price_list_changed'], component: EstimatedPrice }],
  eventTopics: {
    wallet_operation_updated: ['GET /cost'],
    upload_state_changed: ['GET /buckets/:name/cost'],
  },
})
