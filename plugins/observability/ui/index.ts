import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { DataSetsPage } from './data-sets/data-sets-page.tsx'
import { HistoryCard } from './history-card.tsx'
import { LifePage } from './life/life-page.tsx'
import { ProviderPage } from './providers/provider-page.tsx'
import { ProvidersPage } from './providers/providers-page.tsx'
import { SpeedTestAction } from './speed-tests/speed-test-action.tsx'
import { BucketTopologyTab } from './topology/bucket-topology-tab.tsx'
import { TopologyPage } from './topology/topology-page.tsx'

const lists = ['GET /observability/data-sets', 'GET /observability/providers']

export default definePluginUi({
  nav: [
    { to: '/topology', label: 'Topology', icon: 'waypoints', order: 22, group: 'Storage', key: 'm' },
    { to: '/providers', label: 'Providers', icon: 'cloud', order: 24, group: 'Storage', key: 'p' },
    { to: '/data-sets', label: 'Data sets', icon: 'layers', order: 26, group: 'Storage', key: 'd' },
  ],
  pages: [
    { path: '/topology', title: 'Topology', component: TopologyPage },
    { path: '/providers', title: 'Providers', component: ProvidersPage },
    { path: '/providers/:id', title: 'Provider', component: ProviderPage },
    { path: '/data-sets', title: 'Data sets', component: DataSetsPage },
    { path: '/buckets/:name/life', title: 'Life of an object', component: LifePage },
  ],
  commands: [
    { label: 'Unavailable providers', keywords: 'health storage down', icon: 'server-off', to: '/providers?status=unavailable' },
    { label: 'Speed test of a provider', keywords: 'upload measure', icon: 'gauge', to: '/providers?status=available' },
  ],
  cards: [{ id: 'history', order: 8, span: 12, component: HistoryCard }],
  bucketTabs: [{ id: 'replicas', label: 'Replicas', order: 40, component: BucketTopologyTab }],
  providerActions: [{ id: 'speed-test', order: 10, component: SpeedTestAction }],
  eventTopics: {
    provider_speed_test_updated: ['GET /observability/providers'],
    upload_state_changed: [{ route: 'GET /buckets/:name/objects/proof', by: 'version_id' }],
    bucket_updated: lists,
  },
})
