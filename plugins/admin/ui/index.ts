import { definePluginUi } from '@svc/ui-kit'
import './endpoints.ts'
import { SettingsTab } from './bucket-settings/settings-tab.tsx'
import { BucketPage } from './buckets/bucket-page.tsx'
import { BucketsPage } from './buckets/buckets-page.tsx'
import { DoctorPage } from './doctor/doctor-page.tsx'
import { ObjectsTab } from './objects/objects-tab.tsx'
import { CacheCard } from './overview/cache-card.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { StorageHealthCard } from './overview/storage-health-card.tsx'
import { SystemCard } from './overview/system-card.tsx'
import { RestartBanner } from './settings/restart-banner.tsx'
import { SettingsPage } from './settings/settings-page.tsx'
import { SystemPage } from './system/system-page.tsx'
import { TrashTab } from './trash/trash-tab.tsx'
import { VersionsTab } from './versions/versions-tab.tsx'

const overview = 'GET /overview'
const objectLists = [
  'GET /buckets',
  'GET /buckets/:name',
  'GET /buckets/:name/objects',
  'GET /buckets/:name/objects/versions',
  'GET /buckets/:name/objects/deleted',
]
const bulkAction = 'GET /bulk-actions/:id'

export default definePluginUi({
  nav: [
    { to: '/', label: 'Overview', icon: 'layout-dashboard', order: 10, key: 'o' },
    { to: '/buckets', label: 'Buckets', icon: 'database', order: 20, key: 'b' },
    { to: '/settings', label: 'Settings', icon: 'settings', order: 70, group: 'Service', key: 's' },
    { to: '/system', label: 'System', icon: 'server', order: 80, group: 'Service', key: 'y' },
    { to: '/doctor', label: 'Doctor', icon: 'stethoscope', order: 85, group: 'Service' },
  ],
  pages: [
    { path: '/', title: 'Overview', component: OverviewPage },
    { path: '/buckets', title: 'Buckets', component: BucketsPage },
    { path: '/buckets/:name', title: 'Bucket', component: BucketPage },
    { path: '/doctor', title: 'Doctor', component: DoctorPage },
    { path: '/settings', title: 'Settings', component: SettingsPage, setup: true },
    { path: '/system', title: 'System', component: SystemPage },
  ],
  bucketTabs: [
    { id: 'objects', label: 'Objects', order: 10, component: ObjectsTab },
    { id: 'versions', label: 'Versions', order: 20, component: VersionsTab },
    { id: 'trash', label: 'Trash', order: 30, component: TrashTab },
    { id: 'settings', label: 'Settings', order: 90, component: SettingsTab },
  ],
  commands: [
    { label: 'Create a bucket', keywords: 'new add', icon: 'plus', to: '/buckets?create=1', changes: 'POST /buckets' },
    { label: 'Find a setting', keywords: 'configuration change option', icon: 'settings', to: '/settings' },
    { label: 'Plugins', keywords: 'enable disable features', icon: 'puzzle', to: '/system' },
    { label: 'Version and uptime', keywords: 'commit build service', icon: 'server', to: '/system' },
  ],
  search: async (text) => (await import('./palette/find-in-palette.ts')).findInPalette(text),
  cards: [
    { id: 'storage-health', order: 10, span: 4, component: StorageHealthCard },
    { id: 'cache', order: 12, span: 4, component: CacheCard },
    { id: 'service', order: 50, span: 6, component: SystemCard },
  ],
  banners: [{ id: 'restart', order: 5, component: RestartBanner }],
  eventTopics: {
    bucket_updated: [overview, 'GET /buckets', 'GET /buckets/:name', 'GET /buckets/:name/s3-settings'],
    upload_state_changed: [overview, ...objectLists],
    objects_updated: [overview, ...objectLists, bulkAction],
    task_updated: [overview, bulkAction],
    storage_confirmation_updated: [overview],
  },
})
