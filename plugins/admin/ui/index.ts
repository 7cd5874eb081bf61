import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { CacheCard } from './overview/cache-card.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { StorageHealthCard } from './overview/storage-health-card.tsx'
import { WorkCard } from './overview/work-card.tsx'

export default definePluginUi({
  nav: [{ to: '/', label: 'Overview', icon: 'layout-dashboard', order: 0, key: 'o' }],
  pages: [{ path: '/', title: 'Overview', component: OverviewPage }],
  cards: [
    { id: 'work', order: 10, span: 8, component: WorkCard },
    { id: 'cache', order: 20, span: 4, component: CacheCard },
    { id: 'storage-health', order: 30, span: 12, component: StorageHealthCard },
  ],
  eventTopics: {
    bucket_updated: ['GET /overview', 'GET /buckets', 'GET /buckets/:name'],
    upload_state_changed: ['GET /overview'],
    task_updated: ['GET /overview'],
    storage_confirmation_updated: ['GET /overview'],
  },
})
