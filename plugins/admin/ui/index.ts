import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { bucketCommands, bucketNav, bucketPages, bucketTabs, bucketTopics, searchBuckets } from './bucket-parts.ts'
import { DoctorPage } from './doctor/doctor-page.tsx'
import { ByteHistoryCard, ObjectHistoryCard, WorkHistoryCard } from './history-cards.tsx'
import { CacheCard } from './overview/cache-card.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { StorageHealthCard } from './overview/storage-health-card.tsx'
import { SystemCard } from './overview/system-card.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { SystemPage } from './system/system-page.tsx'

export default definePluginUi({
  nav: [
    { to: '/', label: 'Overview', icon: 'layout-dashboard', order: 10, key: 'o' },
    bucketNav,
    { to: '/settings', label: 'Settings', icon: 'settings', order: 70, group: 'Service', key: 's' },
    { to: '/system', label: 'System', icon: 'server', order: 80, group: 'Service', key: 'y' },
    { to: '/doctor', label: 'Doctor', icon: 'stethoscope', order: 85, group: 'Service' },
  ],
  pages: [
    { path: '/', title: 'Overview', component: OverviewPage },
    ...bucketPages,
    { path: '/doctor', title: 'Doctor', component: DoctorPage },
    { path: '/settings', title: 'Settings', component: SettingsPage, setup: true },
    { path: '/system', title: 'System', component: SystemPage },
  ],
  bucketTabs,
  commands: [
    ...bucketCommands,
    { label: 'Find a setting', keywords: 'configuration change option', icon: 'settings', to: '/settings' },
    { label: 'Plugins', keywords: 'enable disable features', icon: 'puzzle', to: '/system' },
    { label: 'Version and uptime', keywords: 'commit build service', icon: 'server', to: '/system' },
  ],
  search: searchBuckets,
  cards: [
    { id: 'storage-health', order: 10, span: 8, component: StorageHealthCard },
    { id: 'cache', order: 12, span: 4, component: CacheCard },
    { id: 'open-tasks', order: 20, span: 8, component: WorkHistoryCard },
    { id: 'objects', order: 22, span: 4, component: ObjectHistoryCard },
    { id: 'bytes', order: 24, span: 4, component: ByteHistoryCard },
    { id: 'service', order: 50, span: 6, component: SystemCard },
  ],
  eventTopics: {
    bucket_updated: ['GET /overview', ...(bucketTopics.bucket_updated ?? [])],
    upload_state_changed: ['GET /overview', ...(bucketTopics.upload_state_changed ?? [])],
    objects_updated: ['GET /overview', ...(bucketTopics.objects_updated ?? [])],
    task_updated: ['GET /overview'],
    storage_confirmation_updated: ['GET /overview'],
  },
})
