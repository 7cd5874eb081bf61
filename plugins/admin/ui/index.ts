import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { CacheCard } from './overview/cache-card.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { StorageHealthCard } from './overview/storage-health-card.tsx'
import { WorkCard } from './overview/work-card.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { SystemPage } from './system/system-page.tsx'

export default definePluginUi({
  nav: [
    { to: '/', label: 'Overview', icon: 'layout-dashboard', order: 0, key: 'o' },
    { to: '/settings', label: 'Settings', icon: 'settings', order: 70, group: 'Service', key: 's' },
    { to: '/system', label: 'System', icon: 'server', order: 80, group: 'Service', key: 'y' },
  ],
  pages: [
    { path: '/', title: 'Overview', component: OverviewPage },
    { path: '/settings', title: 'Settings', component: SettingsPage, setup: true },
    { path: '/system', title: 'System', component: SystemPage },
  ],
  commands: [
    { label: 'Find a setting', keywords: 'configuration change option', icon: 'settings', to: '/settings' },
    { label: 'Plugins', keywords: 'enable disable features', icon: 'puzzle', to: '/system' },
    { label: 'Version and uptime', keywords: 'commit build service', icon: 'server', to: '/system' },
  ],
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
